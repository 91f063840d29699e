import sqlalchemy as sa
from sqlalchemy import text
from checks import *

engine = sa.create_engine(URL)


@check
def connects():
    """connects, and reads rows"""
    with engine.connect() as c:
        equal(c.execute(text("SELECT id FROM orders WHERE id > :n"), {"n": 1}).fetchall(), [(2,), (3,)])


@check
def names():
    """lists schemas, tables and views"""
    inspector = sa.inspect(engine)
    equal("orders" in inspector.get_table_names("main"), True)
    equal("events" in inspector.get_view_names("analytics"), True)
    equal("analytics" in inspector.get_schema_names(), True)


@check
def columns():
    """get_columns tells the columns of tables and views"""
    inspector = sa.inspect(engine)
    found = [(each["name"], str(each["type"])) for each in inspector.get_columns("orders")]
    equal(found, [("id", "INTEGER"), ("total", "NUMERIC(10, 2)"), ("tags", "ARRAY"), ("note", "TEXT")])
    equal("event" in [each["name"] for each in inspector.get_columns("events", schema="analytics")], True)
    equal(inspector.get_pk_constraint("orders")["constrained_columns"], ["id"])
    equal(inspector.get_foreign_keys("orders"), [])
    equal(inspector.get_indexes("orders"), [])
    equal(inspector.get_unique_constraints("orders"), [])
    equal(inspector.get_check_constraints("orders"), [])


@check
def reflect():
    """reflects a schema, and asks the reflected table"""
    metadata = sa.MetaData()
    metadata.reflect(engine, schema="main", only=["orders"])
    orders = metadata.tables["main.orders"]
    with engine.connect() as c:
        equal(c.execute(sa.select(sa.func.count()).select_from(orders)).scalar(), 3)
    events = sa.Table("events", sa.MetaData(), autoload_with=engine, schema="analytics")
    equal("properties" in events.c, True)


@check
def streams():
    """stream_results fetches some rows at a time"""
    with engine.connect().execution_options(stream_results=True, max_row_buffer=100) as c:
        equal(sum(1 for _ in c.execute(text("SELECT range FROM range(1000)"))), 1000)


run()
