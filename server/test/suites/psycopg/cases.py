"""What psycopg 3's own tests check, in words of our own: its source package has none. A JSON line for each case."""
import asyncio, datetime as dt, decimal, ipaddress, json, os, threading, uuid
import psycopg
from psycopg import errors, pq, sql
from psycopg.rows import class_row, dict_row, namedtuple_row, scalar_row
from psycopg.types.json import Json, Jsonb

D, UTC = decimal.Decimal, dt.timezone.utc
URL = f"host=127.0.0.1 port={os.environ['PGPORT']} user=ada password=lovelace dbname=lakehouse"


def tell(name, work):
    try:
        work()
        problem = ""
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".split("\n")[0][:300] or "fails"
    print(json.dumps([name, problem]), flush=True)


def equal(found, wanted):
    assert found == wanted and type(found) is type(wanted), f"{found!r} instead of {wanted!r}"


def connect(**more):
    return psycopg.connect(URL, autocommit=True, **more)


VALUES = {
    "int2": [0, 1, -1, 32767, -32768], "int4": [0, 2**31 - 1, -2**31], "int8": [2**63 - 1, -2**63, 2**53 + 1], "oid": [1, 2**31],
    "numeric": [D("0"), D("1"), D("-1.5"), D("0.0000000001"), D("12345678901234567890.5"), D("1e20"), D("NaN")],
    "float4": [0.5, -1.25, float("inf")], "float8": [0.1, 1e300, 5e-324, -0.5, float("-inf"), 1.7976931348623157e308],
    "text": ["", "a", "é€👍", "it's", 'q"', "back\\slash", "line\nend\t", "%s {} $1", "x" * 10_000], "varchar": ["abc"], "bool": [True, False],
    "bytea": [b"", b"\0\1\xff", b"it's \\ x", bytes(range(256))], "date": [dt.date(2024, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    "time": [dt.time(0), dt.time(23, 59, 59, 999999)], "timestamp": [dt.datetime(2024, 1, 1, 1, 2, 3, 4), dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)],
    "timestamptz": [dt.datetime(2024, 3, 31, 0, 59, 59, tzinfo=UTC), dt.datetime(2024, 7, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30))), dt.datetime(1900, 1, 1, tzinfo=UTC)],
    "interval": [dt.timedelta(0), dt.timedelta(days=3, hours=-5), dt.timedelta(microseconds=1), dt.timedelta(days=-400, seconds=5)],
    "uuid": [uuid.UUID(int=0), uuid.UUID("12345678-1234-5678-1234-567812345679")], "int4[]": [[1, 2], [1, None], []], "text[]": [["a", "b,c", 'd"e', "", "NULL", None, "\\", "{}"]],
    "float8[]": [[0.5, float("inf")]], "bool[]": [[True, None]], "date[]": [[dt.date(2024, 1, 1)]], "uuid[]": [[uuid.UUID(int=7)]], "numeric[]": [[D("1.25"), None]],
    "timestamptz[]": [[dt.datetime(2024, 1, 1, tzinfo=UTC)]], "int4[][]": [[[1, 2], [3, 4]]], "bytea[]": [[b"\0a"]],
}


def same(found, value):
    if isinstance(value, D) and value.is_nan():
        return found.is_nan()
    return found == value and type(found) is type(value)


def trip(value, kind, binary):
    def work():
        with connect() as c:
            found = c.execute(f"SELECT %{'b' if binary else 't'}::{kind}", (value,), binary=binary).fetchone()[0]
            assert same(found, value), f"{found!r} instead of {value!r}"[:300]
    return work


for kind, values in VALUES.items():
    for value in values:
        for binary in (False, True):
            tell(f"{kind} {str(value)[:50]!r} {'in binary' if binary else 'as text'}", trip(value, kind, binary))

for binary in (False, True):
    for wrap in (Json, Jsonb):
        def work():
            with connect() as c:
                value = {"a": [1, 2.5, None, "é"], "b": {"c": True}}
                equal(c.execute(f"SELECT %s::{wrap.__name__.lower()}", (wrap(value),), binary=binary).fetchone()[0], value)
        tell(f"{wrap.__name__} {'in binary' if binary else 'as text'}", work)


def case(work):
    tell(work.__doc__, lambda: with_connection(work))


def with_connection(work):
    with connect() as c:
        work(c)


@case
def _(c):
    """cursor: description tells names and types"""
    found = c.execute("SELECT 1::int4 AS a, 'x'::text AS b, 1.5::float8 AS c").description
    equal([(each.name, each.type_code) for each in found], [("a", 23), ("b", 25), ("c", 701)])


@case
def _(c):
    """cursor: rowcount, statusmessage, fetchone after the last row"""
    cursor = c.execute("SELECT * FROM generate_series(1, 3)")
    equal((cursor.rowcount, cursor.statusmessage), (3, "SELECT 3"))
    equal((len(cursor.fetchall()), cursor.fetchone()), (3, None))


@case
def _(c):
    """cursor: row factories"""
    for factory, wanted in [(dict_row, {"a": 1, "b": "x"}), (scalar_row, 1)]:
        equal(c.cursor(row_factory=factory).execute("SELECT 1 AS a, 'x' AS b").fetchone(), wanted)
    equal(c.cursor(row_factory=namedtuple_row).execute("SELECT 1 AS a").fetchone().a, 1)


@case
def _(c):
    """cursor: several statements give several results"""
    cursor = c.execute("SELECT 1; SELECT 2, 3; SELECT 4 WHERE false")
    found = [cursor.fetchall()]
    while cursor.nextset():
        found.append(cursor.fetchall())
    equal(found, [[(1,)], [(2, 3)], []])


@case
def _(c):
    """cursor: stream gives row after row"""
    equal([row[0] for row in c.cursor().stream("SELECT * FROM generate_series(1, 500)")], list(range(1, 501)))


@case
def _(c):
    """cursor: executemany with returning gives a result for each"""
    cursor = c.cursor()
    cursor.executemany("SELECT %s::int * 2", [(1,), (2,), (3,)], returning=True)
    found = [cursor.fetchone()]
    while cursor.nextset():
        found.append(cursor.fetchone())
    equal(found, [(2,), (4,), (6,)])


@case
def _(c):
    """cursor: the empty statement, and one of comments only"""
    for statement in ["", ";", "-- nothing"]:
        assert c.execute(statement).description is None


@case
def _(c):
    """cursor: an execution after an error works"""
    cursor = c.cursor()
    try:
        cursor.execute("SELECT wrong syntax here from")
        raise AssertionError("no error")
    except errors.SyntaxError:
        pass
    equal(cursor.execute("SELECT 1").fetchone(), (1,))


@case
def _(c):
    """cursor: names and values composed by sql.SQL"""
    query = sql.SQL("SELECT {value} AS {name}").format(value=sql.Literal("it's"), name=sql.Identifier('a "b"'))
    cursor = c.execute(query)
    equal((cursor.description[0].name, cursor.fetchone()), ('a "b"', ("it's",)))


@case
def _(c):
    """server cursor: fetches, scrolls forward, iterates, closes"""
    with c.transaction(), c.cursor("s") as cursor:
        cursor.execute("SELECT * FROM generate_series(1, 100)")
        equal(cursor.fetchmany(2), [(1,), (2,)])
        cursor.scroll(10)
        equal(cursor.fetchone(), (13,))
        cursor.itersize = 7
        equal(len(list(cursor)), 87)
    with c.transaction(), c.cursor("t") as cursor:
        equal(cursor.execute("SELECT %s::int AS n", (5,), binary=True).fetchall(), [(5,)])


@case
def _(c):
    """prepared: the same statement is prepared after five runs, and with other types anew"""
    for value in [1, 2, 3, 4, 5, 6, 7, "x", "y", 8]:
        equal(str(c.execute("SELECT %s", (value,)).fetchone()[0]), str(value))
    equal(c.execute("SELECT %s::text", ("z",), prepare=True).fetchone(), ("z",))


@case
def _(c):
    """copy: text, csv and binary, as blocks and as rows"""
    query = "COPY (SELECT i::int4, CASE WHEN i > 1 THEN 'a\t' || i END FROM generate_series(1, 3) AS t(i)) TO STDOUT"
    with c.cursor().copy(query) as copy:
        equal(b"".join(bytes(block) for block in copy), b"1\t\\N\n2\ta\\t2\n3\ta\\t3\n")
    with c.cursor().copy(query) as copy:
        equal(list(copy.rows()), [("1", None), ("2", "a\t2"), ("3", "a\t3")])
    with c.cursor().copy(query + " (FORMAT BINARY)") as copy:
        copy.set_types(["int4", "text"])
        equal(list(copy.rows()), [(1, None), (2, "a\t2"), (3, "a\t3")])
    with c.cursor().copy(query + " (FORMAT CSV, HEADER)") as copy:
        equal(b"".join(bytes(block) for block in copy).startswith(b"i,"), True)


for statement, wanted in {
    "SELECT FROM WHERE": errors.SyntaxError, "SELECT * FROM nowhere": errors.UndefinedTable, "SELECT nothing": errors.UndefinedColumn, "SELECT nope(1)": errors.UndefinedFunction,
    "SELECT 1 / 0": errors.DivisionByZero, "SELECT 'x'::int": errors.InvalidTextRepresentation, "SELECT 1::nope": errors.UndefinedObject, "SELECT 2147483647::int4 + 1::int4": errors.NumericValueOutOfRange,
    "SELECT 'x'::date": errors.InvalidDatetimeFormat, "CREATE TABLE t (a int)": errors.ReadOnlySqlTransaction, "SELECT 300::int2 * 300::int2": errors.NumericValueOutOfRange, "SELECT '{'::json": errors.InvalidTextRepresentation,
}.items():
    def work():
        with connect() as c:
            try:
                c.execute(statement)
            except psycopg.Error as error:
                assert isinstance(error, wanted), f"{type(error).__name__} {error.sqlstate} instead of {wanted.__name__}"
                assert error.diag.severity == "ERROR" and error.diag.message_primary
                return
            raise AssertionError("no error")
    tell(f"errors: {statement} is {wanted.__name__}", work)


@case
def _(c):
    """transaction: an error ends it, and rolls back to what works"""
    try:
        with c.transaction():
            c.execute("SELECT 1 / 0")
    except errors.DivisionByZero:
        pass
    equal((c.execute("SELECT 1").fetchone(), c.info.transaction_status), ((1,), pq.TransactionStatus.IDLE))


@case
def _(c):
    """transaction: within a failed one statements are refused"""
    c.autocommit = False
    for statement, wanted in [("SELECT 1 / 0", errors.DivisionByZero), ("SELECT 1", errors.InFailedSqlTransaction)]:
        try:
            c.execute(statement)
            raise AssertionError("no error")
        except wanted:
            pass
    c.rollback()
    equal(c.execute("SELECT 1").fetchone(), (1,))


@case
def _(c):
    """transaction: blocks within blocks"""
    with c.transaction():
        equal(c.execute("SELECT 1").fetchone(), (1,))
        try:
            with c.transaction():
                c.execute("SELECT 1 / 0")
        except errors.DivisionByZero:
            pass
        equal(c.execute("SELECT 2").fetchone(), (2,))


@case
def _(c):
    """pipeline: statements are sent together, each has its result"""
    with c.pipeline():
        cursors = [c.execute("SELECT %s::int", (i,)) for i in range(20)]
        equal([cursor.fetchone()[0] for cursor in cursors], list(range(20)))


@case
def _(c):
    """pipeline: after an error the rest of it is aborted, and the next works"""
    try:
        with c.pipeline() as pipeline:
            c.execute("SELECT 1")
            c.execute("SELECT 1 / 0")
            pipeline.sync()
        raise AssertionError("no error")
    except errors.DivisionByZero:
        pass
    equal(c.execute("SELECT 1").fetchone(), (1,))


@case
def _(c):
    """cancel: from another thread, by cancel and by cancel_safe"""
    for cancel in (c.cancel, c.cancel_safe):
        timer = threading.Timer(0.3, cancel)
        timer.start()
        try:
            c.execute("SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3")
            raise AssertionError("no error")
        except errors.QueryCanceled:
            pass
        timer.join()
        equal(c.execute("SELECT 1").fetchone(), (1,))


@case
def _(c):
    """zones: SET TimeZone, and a moment comes in it"""
    for zone, offset in [("Europe/Berlin", 2), ("UTC", 0), ("America/New_York", -4), ("Asia/Kolkata", 5.5)]:
        c.execute(f"SET TimeZone TO '{zone}'")
        for binary in (False, True):
            found = c.execute("SELECT '2024-07-01 12:00:00+00'::timestamptz", binary=binary).fetchone()[0]
            equal((found, found.utcoffset()), (dt.datetime(2024, 7, 1, 12, tzinfo=UTC), dt.timedelta(hours=offset)))
        equal(str(c.info.timezone).lower(), zone.lower())


@case
def _(c):
    """connection: what it tells of itself"""
    equal((c.info.dbname, c.info.user, c.info.encoding, c.info.server_version // 10000), ("lakehouse", "ada", "utf-8", 15))
    equal((c.info.parameter_status("integer_datetimes"), c.info.parameter_status("standard_conforming_strings")), ("on", "on"))
    assert c.info.backend_pid > 0


@case
def _(c):
    """connection: set_read_only, isolation levels"""
    c.autocommit = False
    c.read_only, c.isolation_level = True, psycopg.IsolationLevel.SERIALIZABLE
    equal(c.execute("SELECT 1").fetchone(), (1,))
    c.rollback()


@case
def _(c):
    """types: TypeInfo finds a type of the catalog"""
    info = psycopg.types.TypeInfo.fetch(c, "uuid")
    equal((info.oid, info.array_oid), (2950, 2951))
    equal(psycopg.types.TypeInfo.fetch(c, "no_such_type"), None)


@case
def _(c):
    """types: a list for ANY, and None"""
    equal(c.execute("SELECT 2 = ANY(%s), %s::text IS NULL, %s::text", ([1, 2], None, None)).fetchone(), (True, True, None))


@case
def _(c):
    """async: a connection reads, many beside each other"""
    async def one(i):
        async with await psycopg.AsyncConnection.connect(URL) as a:
            return (await (await a.execute("SELECT %s::int", (i,))).fetchone())[0]

    async def all_of_them():
        return await asyncio.gather(*[one(i) for i in range(8)])
    equal(asyncio.run(all_of_them()), list(range(8)))
