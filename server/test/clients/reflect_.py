"""All that SQLAlchemy reads of the catalog: of each table and view of each schema, as Superset, Airflow and dlt ask."""
import sqlalchemy as sa
from checks import *

engine = sa.create_engine(URL)
SCHEMAS = ["main", "analytics"]


@check
def tables():
    """reflects each table and view of each schema, and asks it"""
    names = []
    for schema in SCHEMAS:
        metadata = sa.MetaData()
        metadata.reflect(engine, schema=schema, views=True)
        with engine.connect() as c:
            for table in metadata.sorted_tables:
                names.append(table.name)
                c.execute(sa.select(table).limit(1)).fetchall()
    equal([name for name in ["orders", "sample", "events", "persons"] if name not in names], [])


@check
def multi():
    """reads the keys, indexes, checks and comments of all tables at once"""
    inspector = sa.inspect(engine)
    for schema in SCHEMAS:
        for kind in ["columns", "pk_constraint", "foreign_keys", "indexes", "unique_constraints", "check_constraints", "table_comment"]:
            getattr(inspector, f"get_multi_{kind}")(schema=schema, kind=sa.engine.reflection.ObjectKind.ANY)
    equal(inspector.get_pk_constraint("orders")["constrained_columns"], ["id"])
    equal([each["comment"] for each in inspector.get_columns("orders")][3], "What was said")


@check
def others():
    """reads what else an inspector knows: sequences, enums, domains, definitions of views"""
    inspector = sa.inspect(engine)
    for schema in SCHEMAS:
        inspector.get_sequence_names(schema), inspector.get_enums(schema), inspector.get_domains(schema)
        inspector.get_temp_table_names(), inspector.get_materialized_view_names(schema)
        for name in inspector.get_view_names(schema):
            inspector.get_view_definition(name, schema)
    equal(inspector.has_table("orders"), True)
    equal(inspector.has_table("nothing"), False)
    equal(inspector.has_schema("analytics"), True)
    equal(inspector.default_schema_name, "main")


@check
def types():
    """reads a value of each type"""
    sample = sa.Table("sample", sa.MetaData(), autoload_with=engine)
    with engine.connect() as c:
        row = c.execute(sa.select(sample)).mappings().one()
    equal((row["big"], str(row["amount"]), row["flag"], str(row["day"]), row["ids"], row["details"]),
          (9007199254740993, "1.25", True, "2024-03-01", [1, 2], {"a": "b"}))


@check
def slices():
    """pages with LIMIT and OFFSET, and counts over a subquery, as Superset does"""
    orders = sa.Table("orders", sa.MetaData(), autoload_with=engine)
    virtual = sa.select(orders.c.note, sa.func.sum(orders.c.total).label("total")).group_by(orders.c.note).subquery("virtual_table")
    with engine.connect() as c:
        rows = c.execute(sa.select(virtual.c.note, virtual.c.total).order_by(sa.desc("total")).limit(2).offset(1)).fetchall()
        equal(len(rows), 2)
        equal(c.execute(sa.select(sa.func.count()).select_from(virtual)).scalar(), 3)
        equal(c.execute(sa.text("SELECT pg_backend_pid() AS pid")).scalar() > 0, True)
        equal(c.execute(sa.select(sa.func.date_trunc("month", sa.column("day"))).select_from(sa.text("sample"))).scalar().month, 3)


print(f"SQLAlchemy {sa.__version__}")
run()
