import adbc_driver_postgresql.dbapi as adbc
import pandas, polars
from checks import *


def connect():
    return adbc.connect(URL)


@check
def connects():
    """connects, and reads rows as Arrow"""
    with connect() as c, c.cursor() as cursor:
        cursor.execute("SELECT id, total, note FROM orders ORDER BY id")
        table = cursor.fetch_arrow_table()
        equal(table.column("id").to_pylist(), [1, 2, 3])
        equal([str(each) for each in table.column("total").to_pylist()], ["9.90", "0.50", "5.00"])


@check
def parameters():
    """sends parameters"""
    with connect() as c, c.cursor() as cursor:
        cursor.execute("SELECT note FROM orders WHERE id = $1", (1,))
        equal(cursor.fetchall(), [("x",)])


@check
def types():
    """reads a value of each type"""
    with connect() as c, c.cursor() as cursor:
        cursor.execute("SELECT small, big, ratio, event, flag, day, moment, ids FROM sample")
        row = cursor.fetchone()
        equal((*row[:5], str(row[5]), row[6].isoformat(), row[7]), (7, 9007199254740993, 1.5, "x", True, "2024-03-01", "2024-03-01T12:00:00+00:00", [1, 2]))


@check
def pandas_reads():
    """pandas reads a statement, and a table"""
    with connect() as c:
        equal(list(pandas.read_sql("SELECT id FROM orders ORDER BY id", c)["id"]), [1, 2, 3])
        equal(len(pandas.read_sql_table("orders", c, schema="main")), 3)


@check
def polars_reads():
    """polars reads a statement"""
    frame = polars.read_database_uri("SELECT id, note FROM orders ORDER BY id", URL, engine="adbc")
    equal(frame.rows(), [(1, "x"), (2, None), (3, "y")])


@check
def objects():
    """lists catalogs, schemas, tables and columns"""
    with connect() as c:
        found = c.adbc_get_objects(depth="all", catalog_filter="lakehouse").read_all().to_pylist()
        schemas = {s["db_schema_name"]: [t["table_name"] for t in s["db_schema_tables"] or []] for s in found[0]["catalog_db_schemas"]}
        equal("orders" in schemas["main"], True)
        equal(c.adbc_get_table_schema("orders", db_schema_filter="main").names, ["id", "total", "tags", "note"])
        equal("table" in c.adbc_get_table_types(), True)


run()
