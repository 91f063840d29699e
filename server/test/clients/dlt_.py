import os, tempfile
os.environ.update(RUNTIME__DLTHUB_TELEMETRY="false", DLT_DATA_DIR=tempfile.mkdtemp())
import dlt
from dlt.sources.sql_database import sql_database, sql_table
from checks import *


def load(source):
    with tempfile.TemporaryDirectory() as folder:
        destination = dlt.destinations.filesystem(bucket_url=f"file://{folder}")
        pipeline = dlt.pipeline("waymark", destination=destination, dataset_name="data", pipelines_dir=folder)
        pipeline.run(source, loader_file_format="jsonl")
        return pipeline.last_trace.last_normalize_info.row_counts


@check
def tables():
    """sql_database loads tables that it reflects"""
    counts = load(sql_database(URL, schema="main", table_names=["orders", "sample"]))
    equal((counts["orders"], counts["sample"]), (3, 1))


@check
def view():
    """sql_table loads a view of analytics"""
    counts = load(sql_table(URL, schema="analytics", table="events", included_columns=["event", "timestamp", "properties"]))
    equal(counts["events"], 1)


@check
def increment():
    """sql_table loads what is newer than a value"""
    counts = load(sql_table(URL, schema="main", table="orders", incremental=dlt.sources.incremental("id", initial_value=2)))
    equal(counts["orders"], 2)


run()
