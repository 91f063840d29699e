import io
import psycopg2, psycopg2.extras
from checks import *


def connect():
    return psycopg2.connect(URL)


@check
def connects():
    """connects, and reads rows"""
    with connect() as c, c.cursor() as cursor:
        cursor.execute("SELECT id, total FROM orders WHERE id = %s", (1,))
        equal(str(cursor.fetchone()[1]), "9.90")


@check
def named():
    """named cursors fetch some rows at a time, and scroll forwards"""
    with connect() as c, c.cursor("mine") as cursor:
        cursor.itersize = 100
        cursor.execute("SELECT range FROM range(1000) WHERE range >= %s", (10,))
        equal(len(list(cursor)), 990)
    with connect() as c, c.cursor("mine", withhold=True) as cursor:
        cursor.execute("SELECT range FROM range(1000)")
        cursor.scroll(10)
        equal(cursor.fetchone()[0], 10)


@check
def copy():
    """copy_to and copy_expert copy rows out"""
    with connect() as c, c.cursor() as cursor:
        out = io.StringIO()
        cursor.copy_expert("COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT WITH CSV HEADER", out)
        equal(out.getvalue(), "id,note\n1,x\n2,\n3,y\n")
        out = io.StringIO()
        cursor.copy_to(out, "orders", columns=("id", "note"))
        equal(out.getvalue(), "1\tx\n2\t\\N\n3\ty\n")


@check
def dictionaries():
    """rows as dictionaries have the names that PostgreSQL gives"""
    with connect() as c, c.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("SELECT count(*), version() FROM orders")
        equal(list(cursor.fetchone()), ["count", "version"])


@check
def arrays():
    """lists are parameters and values"""
    with connect() as c, c.cursor() as cursor:
        cursor.execute("SELECT id, tags FROM orders WHERE id = ANY(%s) ORDER BY id", ([1, 3],))
        equal(cursor.fetchall()[0], (1, ["a", "b c"]))


run()
