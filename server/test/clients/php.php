<?php
// PDO and pg_ functions, as Laravel and WordPress plugins use them.
$port = getenv('WAYMARK_PORT');
function check(string $name, callable $work): void
{
    try {
        $work();
        echo "+ $name\n";
    } catch (Throwable $e) {
        echo "- $name: " . preg_replace('/\s+/', ' ', $e->getMessage()) . "\n";
    }
}
function equal($found, $wanted): void
{
    if ($found !== $wanted) throw new Exception(json_encode($found) . ' instead of ' . json_encode($wanted));
}
$connect = fn() => new PDO("pgsql:host=127.0.0.1;port=$port;dbname=lakehouse", 'ada', 'lovelace', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
check('PDO reads rows with parameters, again and again', function () use ($connect) {
    $c = $connect();
    foreach ([1 => 'x', 3 => 'y'] as $id => $note) {
        $s = $c->prepare('SELECT note FROM orders WHERE id = :id');
        $s->execute(['id' => $id]);
        equal($s->fetchColumn(), $note);
    }
});
check('rows have the names that PostgreSQL gives', function () use ($connect) {
    equal(array_keys($connect()->query('SELECT count(*), max(id) FROM orders')->fetch(PDO::FETCH_ASSOC)), ['count', 'max']);
});
check('PDO copies rows out', function () use ($connect) {
    equal($connect()->pgsqlCopyToArray('orders', ',', '-', 'id,note'), ["1,x\n", "2,-\n", "3,y\n"]);
});
check('PDO scrolls forwards by a cursor', function () use ($connect) {
    $s = $connect()->prepare('SELECT id FROM orders ORDER BY id', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
    $s->execute();
    equal($s->fetchColumn(), 1);
});
check('pg_meta_data tells the columns of a table', function () use ($port) {
    $c = pg_connect("host=127.0.0.1 port=$port dbname=lakehouse user=ada password=lovelace");
    equal(array_keys(pg_meta_data($c, 'main.orders')), ['id', 'total', 'tags', 'note']);
});
