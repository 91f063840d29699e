import asyncio, datetime, decimal
import asyncpg
from checks import *
from parameters import CASES, differs, value


def with_connection(work):
    async def whole():
        connection = await asyncpg.connect(URL)
        try:
            await work(connection)
        finally:
            await connection.close()
    return lambda: asyncio.run(whole())


def aio(work):
    run_it = with_connection(work)
    run_it.__doc__ = work.__doc__
    return check(run_it)


@aio
async def connects(c):
    """connects, and reads a value"""
    equal(await c.fetchval("SELECT 41 + 1"), 42)


@check
def pool():
    """a pool gives its connections back and takes them again"""
    async def whole():
        async with asyncpg.create_pool(URL, min_size=2, max_size=2) as pool:
            for _ in range(6):
                async with pool.acquire() as c:
                    equal(await c.fetchval("SELECT count(*) FROM orders"), 3)
    asyncio.run(whole())


@aio
async def parameters(c):
    """sends parameters of every kind in binary"""
    row = await c.fetchrow("SELECT $1::int AS i, $2::text AS t, $3::timestamptz AS z, $4::numeric AS n, $5::bool AS b, $6::float8 AS f",
        1, "a", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), decimal.Decimal("1.25"), True, 1.5)
    equal((row["i"], row["t"], row["z"].year, row["n"], row["b"], row["f"]), (1, "a", 2026, decimal.Decimal("1.25"), True, 1.5))


@aio
async def typed(c):
    """parameters and columns have PostgreSQL's types and values"""
    wrong = []
    for case in CASES:
        statement = await c.prepare(case["sql"])
        names = [t.name for t in statement.get_parameters()]
        row = await statement.fetchrow(*[value(name, text) for name, text in zip(names, case["values"])])
        wrong.append(differs(case, row))
    equal([each for each in wrong if each], [])


@aio
async def any_of(c):
    """sends a list to = ANY($1)"""
    rows = await c.fetch("SELECT id FROM orders WHERE id = ANY($1) ORDER BY id", [1, 3])
    equal([row["id"] for row in rows], [1, 3])
    rows = await c.fetch("SELECT id FROM orders WHERE note = ANY($1) ORDER BY id", ["x"])
    equal([row["id"] for row in rows], [1])
    equal(await c.fetchval("SELECT $1::int[]", [1, 2, None]), [1, 2, None])


@aio
async def json(c):
    """reads and sends json"""
    equal(await c.fetchval("SELECT ($1::json)->>'a'", '{"a": "x"}'), "x")
    equal(await c.fetchval("SELECT ($1::jsonb)->>'a'", '{"a": "x"}'), "x")
    equal(await c.fetchval("SELECT properties->>'plan' FROM events WHERE event = 'Signed Up'"), "pro")


@aio
async def cursor(c):
    """reads with a cursor, some rows at a time"""
    async with c.transaction():
        seen = [row["n"] async for row in c.cursor("SELECT range AS n FROM range(1000)", prefetch=100)]
        equal(seen, list(range(1000)))


@aio
async def copy(c):
    """copies a query and a table out, in each format"""
    import io
    for options, wanted in [({}, b"1\t9.90\n"), ({"format": "csv", "header": True}, b"id,total\n1,9.90\n")]:
        out = io.BytesIO()
        await c.copy_from_query("SELECT id, total FROM orders WHERE id = $1", 1, output=out, **options)
        equal(out.getvalue(), wanted)
    out = io.BytesIO()
    await c.copy_from_table("orders", columns=["id"], output=out, format="binary")
    equal(out.getvalue()[:11], b"PGCOPY\n\xff\r\n\0")


@aio
async def names(c):
    """sees the names that PostgreSQL gives to columns"""
    row = await c.fetchrow("SELECT count(*), max(id), 1 + 1, current_user FROM orders")
    equal(list(row.keys()), ["count", "max", "?column?", "current_user"])


run()
