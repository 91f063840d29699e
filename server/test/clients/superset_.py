"""What Superset's engine for PostgreSQL asks: names, columns, a chart by each grain of time, and the end of a query of its own."""
import logging, os, sys, tempfile, threading
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "superset_config.py"), "w") as file:
    file.write(f"SECRET_KEY = 'x' * 32\nSQLALCHEMY_DATABASE_URI = 'sqlite:///{folder}/own.db'\n")
sys.path.insert(0, folder)
logging.disable(logging.WARNING)
import sqlalchemy as sa
from superset.app import create_app
from checks import *

create_app().app_context().push()
from superset.db_engine_specs.postgres import PostgresEngineSpec as Spec
from superset.models.core import Database
from superset.sql_parse import Table

database = Database(database_name="waymark", sqlalchemy_uri="postgresql+psycopg2://localhost/lakehouse")
engine = sa.create_engine(URL.replace("+psycopg://", "+psycopg2://"))
inspector = sa.inspect(engine)


@check
def names():
    """lists schemas, tables and views"""
    equal({"main", "analytics"} - set(inspector.get_schema_names()), set())
    equal({"orders", "sample"} - Spec.get_table_names(database, inspector, "main"), set())
    equal({"events", "persons"} - Spec.get_view_names(database, inspector, "analytics"), set())


@check
def columns():
    """knows columns and their types"""
    kinds = {each["column_name"]: Spec.get_column_spec(str(each["type"])).generic_type.name for each in Spec.get_columns(inspector, Table("sample", "main"))}
    equal([kinds[name] for name in ["big", "amount", "flag", "day"]], ["NUMERIC", "NUMERIC", "BOOLEAN", "TEMPORAL"])


@check
def grains():
    """groups a column by each grain of time, and estimates the query"""
    day = sa.column("day", sa.Date)
    with engine.connect() as c:
        for grain in Spec.get_time_grain_expressions():
            group = Spec.get_timestamp_expr(day, None, grain)
            query = sa.select([group.label("__timestamp"), sa.func.count().label("count")]).select_from(sa.table("sample")).group_by(group).limit(10)
            equal([row[1] for row in c.execute(query)], [1])
    cursor = engine.raw_connection().cursor()
    cost = Spec.estimate_statement_cost(database, "SELECT * FROM orders", cursor)
    # EXPLAIN has no costs here.
    equal(cost, {})


@check
def stop():
    """stops a query of its own"""
    connection = engine.raw_connection()
    cursor = connection.cursor()
    pid = Spec.get_cancel_query_id(cursor, None)
    ended = []

    def wait():
        try:
            cursor.execute("SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000) b")
            ended.append("an answer")
        except Exception as error:
            ended.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    other = engine.raw_connection().cursor()
    while thread.is_alive():
        equal(Spec.cancel_query(other, None, pid), True)
        thread.join(0.1)
    equal(["cancelled" in each for each in ended], [True])


run()
