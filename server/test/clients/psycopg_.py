import psycopg
from checks import *
from parameters import CASES, differs


def connect(**more):
    return psycopg.connect(URL, **more)


@check
def connects():
    """connects, and reads rows with parameters"""
    with connect() as c:
        equal(c.execute("SELECT note FROM orders WHERE id = %s", (1,)).fetchone(), ("x",))
        equal(c.execute("SELECT id FROM orders WHERE id = ANY(%s) ORDER BY id", ([1, 3],)).fetchall(), [(1,), (3,)])


@check
def server_cursor():
    """server cursors fetch some rows at a time"""
    with connect() as c, c.cursor("mine") as cursor:
        cursor.execute("SELECT range FROM range(1000) WHERE range >= %s", (10,))
        equal(cursor.description[0].name, "range")
        equal(len(cursor.fetchmany(100)), 100)
        equal(len(list(cursor)), 890)
    with connect(autocommit=True) as c, c.cursor("held", withhold=True, scrollable=False) as cursor:
        cursor.execute("SELECT range FROM range(10)")
        equal(len(cursor.fetchall()), 10)
    with connect() as c, c.cursor("bin", ) as cursor:
        cursor.execute("SELECT range FROM range(10)", binary=True)
        equal(cursor.fetchone(), (0,))


@check
def copy():
    """copies rows out, as text and in binary"""
    with connect() as c, c.cursor() as cursor:
        with cursor.copy("COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT") as copy:
            copy.set_types(["int4", "text"])
            equal(list(copy.rows()), [(1, "x"), (2, None), (3, "y")])
        with cursor.copy("COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int4", "text"])
            equal(list(copy.rows()), [(1, "x"), (2, None), (3, "y")])


@check
def typed():
    """parameters and columns have PostgreSQL's types and values, as text and in binary"""
    import re
    wrong = []
    with connect() as c:
        for case in CASES:
            sql = re.sub(r"\$(\d)", r"%(p\1)s", case["sql"].replace("%", "%%"))
            values = {f"p{at}": value for at, value in enumerate(case["values"], 1)}
            for binary in (False, True):
                wrong.append(differs(case, c.execute(sql, values, binary=binary).fetchone()))
    equal([each for each in wrong if each], [])


@check
def prepared():
    """prepared statements are used again and deallocated"""
    with connect() as c:
        c.prepare_threshold = 0
        c.prepared_max = 2
        for n in range(6):
            equal(c.execute(f"SELECT %s::int + {n}", (n,)).fetchone(), (2 * n,))


@check
def tls():
    """binds the login to the certificate (channel_binding=require)"""
    import os
    port = os.environ.get("WAYMARK_TLS_PORT")
    if port is None:
        raise AssertionError("there is no port with TLS")
    with psycopg.connect(f"postgresql://{USER}:{PASSWORD}@localhost:{port}/{DATABASE}?sslmode=require&channel_binding=require") as c:
        equal(c.execute("SELECT 1").fetchone(), (1,))


run()
