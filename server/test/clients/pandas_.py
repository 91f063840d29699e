import warnings
import pandas, sqlalchemy, psycopg2
from checks import *

warnings.simplefilter("ignore")
engine = sqlalchemy.create_engine(URL)


@check
def query():
    """read_sql reads a statement"""
    equal(list(pandas.read_sql("SELECT count(*) FROM orders", psycopg2.connect(URL)).columns), ["count"])


@check
def table():
    """read_sql_table reads a table and a view"""
    equal(len(pandas.read_sql_table("orders", engine)), 3)
    equal("event" in pandas.read_sql_table("events", engine, schema="analytics").columns, True)


@check
def chunks():
    """read_sql reads in chunks"""
    with engine.connect().execution_options(stream_results=True) as c:
        equal([len(each) for each in pandas.read_sql("SELECT range FROM range(250)", c, chunksize=100)], [100, 100, 50])


run()
