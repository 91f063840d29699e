import pyodbc
from checks import *


def connect(more=""):
    return pyodbc.connect(f"DRIVER={{PostgreSQL Unicode}};SERVER={HOST};PORT={PORT};DATABASE={DATABASE};UID={USER};PWD={PASSWORD};{more}", autocommit=True)


@check
def connects():
    """connects, and reads rows"""
    equal(connect().execute("SELECT id, note FROM orders ORDER BY id").fetchone()[1], "x")


@check
def parameters():
    """one handle asks with parameters again and again"""
    cursor = connect().cursor()
    for n in [1, 2, 3]:
        equal(cursor.execute("SELECT id FROM orders WHERE id = ?", n).fetchone()[0], n)
    for n in [1, 3]:
        equal(cursor.execute("SELECT note FROM orders WHERE id = ?", n).fetchone()[0], {1: "x", 3: "y"}[n])


@check
def catalog():
    """lists tables, columns and keys"""
    cursor = connect().cursor()
    equal("orders" in [row.table_name for row in cursor.tables()], True)
    equal([row.column_name for row in cursor.columns(table="orders")], ["id", "total", "tags", "note"])
    equal([row.column_name for row in cursor.primaryKeys("orders")], ["id"])
    equal(len(list(cursor.statistics("orders"))) > 0, True)
    list(cursor.foreignKeys("orders"))
    list(cursor.getTypeInfo())
    list(cursor.procedures())
    equal("event" in [row.column_name for row in cursor.columns(table="events", schema="analytics")], True)


@check
def fetches():
    """UseDeclareFetch fetches some rows at a time"""
    cursor = connect("UseDeclareFetch=1;Fetch=100;").cursor()
    equal(len(cursor.execute("SELECT range FROM range(1000)").fetchall()), 1000)


run()
