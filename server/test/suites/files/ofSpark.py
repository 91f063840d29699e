"""What Spark writes: csv, JSON and Parquet. Of csv the cells are what Spark reads back as texts."""
import datetime as dt, glob, json, os, shutil
from pyspark.sql import Row, SparkSession
from cases import D, UTC, add, folder, say, tell

spark = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
    .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.session.timeZone", "UTC").config("spark.ui.showConsoleProgress", "false").getOrCreate()
)


def write(frame, format, options):
    """The one file of what Spark writes as a folder, and the folder."""
    path = os.path.join(folder, "of Spark")
    frame.coalesce(1).write.mode("overwrite").options(**options).format(format).save(path)
    with open(glob.glob(os.path.join(path, "part-*"))[0], "rb") as file:
        return file.read(), path


words = spark.createDataFrame(
    [(1, "Ann", 1.5, True, dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 1, 2, 3), D("1.10"), 1e10),
     (2, "Böb, jr.", None, None, None, None, None, None),
     (3, 'say "hi", x', float("inf"), False, dt.date(1582, 10, 15), dt.datetime(1900, 1, 1, 0, 0, 0, 123456), D("-0.05"), 1e-7),
     (4, "", -0.5, True, dt.date(9999, 12, 31), dt.datetime(1969, 12, 31, 23, 59, 59, 999000), D("0.00"), 0.1),
     (5, " space ", float("nan"), False, dt.date(1, 1, 1), dt.datetime(2024, 2, 29, 23, 59, 59), D("99999999.99"), 123456789.0),
     (6, None, 0.0, True, dt.date(1899, 12, 31), dt.datetime(2024, 10, 27, 1, 30), D("7.00"), 5e-324),
     (7, "a\nb", 1.0, True, dt.date(2024, 1, 2), dt.datetime(2024, 10, 27, 1, 30), D("7.10"), 1.0)],
    "id int, name string, score double, ok boolean, day date, at timestamp, price decimal(10,2), large double",
)
lines = {"header": True, "multiLine": True}
rfc = {**lines, "escape": '"'}
slashes = spark.createDataFrame([(1, "C:\\dir"), (2, 'C:\\dir, "x"'), (3, "a\\")], "id int, path string")
for name, frame, options, refused in [
    ("default", words, lines, ""), ("quotes doubled", words, rfc, None), ("every field quoted", words, {**rfc, "quoteAll": True}, None),
    ("tabs", words, {**rfc, "sep": "\t"}, None), ("semicolons", words, {**rfc, "sep": ";"}, None), ("CRLF", words.where("id < 7"), {**rfc, "lineSep": "\r\n"}, None),
    ("spaces kept", words, {**rfc, "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}, None),
    ("moments by format", words, {**rfc, "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSSXXX", "dateFormat": "dd/MM/yyyy"}, None),
    ("no header", words, {**rfc, "header": False}, None), ("no rows", words.limit(0), rfc, None), ("backslashes", slashes, rfc, None),
    ("backslashes by default", slashes.where("id <> 2"), lines, None), ("a path with a comma", slashes.where("id = 2").replace({'C:\\dir, "x"': "C:\\dir, x"}), lines, None),
    ("Latin-1", words, {**rfc, "encoding": "ISO-8859-1"}, "UTF-8"), ("gzip", words, {**rfc, "compression": "gzip"}, ""),
]:
    data, path = write(frame, "csv", options)
    held = spark.read.options(**options).csv(path) if refused is None else None
    header = "" if options["header"] else "&header=false"
    columns = held and (held.columns if options["header"] else [f"column{i}" for i in range(len(held.columns))])
    add(f"Spark/{name}.csv", data, held and [list(row) for row in held.collect()], f"format=csv{header}", columns, refused)


def rows_of(frame, zoned):
    """Rows as /query writes them; `zoned` tells that moments are kept as such."""
    def moments(value):
        if isinstance(value, dt.datetime):
            return value.replace(tzinfo=UTC)
        if isinstance(value, dict):
            return {name: moments(each) for name, each in value.items()}
        return [moments(each) for each in value] if isinstance(value, list) else value

    rows = [list(row.asDict(recursive=True).values()) for row in frame.collect()]
    return [[say(moments(value) if zoned else value) for value in row] for row in rows]


nested = spark.createDataFrame(
    [(1, ["a", None], Row(a=1, b=["x"]), {"k": 1, "l": None}, [Row(k="a", v=0.5)], [[1], []]), (2, [], Row(a=None, b=None), {}, [], None), (3, None, None, None, None, [[None]])],
    "id int, list array<string>, struct struct<a:int,b:array<string>>, map map<string,int>, structs array<struct<k:string,v:double>>, lists array<array<int>>",
)
whole = spark.createDataFrame(
    [(-128, -2**15, -2**31, -2**63, -1.25, D("-9.9"), D("123456789012345.678"), D("1234567890123456789012345678.0123456789"), bytearray(b"\0\xffa")),
     (127, 2**15 - 1, 2**31 - 1, 2**63 - 1, 0.5, D("0.1"), D("0.001"), D("-1.5000000000"), bytearray()), (None,) * 9],
    "b byte, s short, i int, l long, f float, d2 decimal(2,1), d18 decimal(18,3), d38 decimal(38,10), bin binary",
)
days = [dt.datetime(1, 1, 3), dt.datetime(1582, 10, 14, 12), dt.datetime(1677, 9, 21), dt.datetime(1899, 12, 31, 23, 59, 59, 999999), dt.datetime(2024, 2, 29), dt.datetime(2262, 4, 12), dt.datetime(9999, 12, 29, 23, 59, 59, 999999)]
old = spark.createDataFrame([(i, at.date(), at) for i, at in enumerate(days)], "id int, day date, at timestamp")
modern = old.where("year(at) >= 1900 and year(at) < 2262")
local = spark.createDataFrame([(at,) for at in days], "at timestamp_ntz")
listed = spark.sql("select array(timestamp'2024-01-01 00:00:00.5') at")
many = spark.range(3000).selectExpr("id", "concat('n', id % 7) name", "id / 3 x", "if(id % 5 = 0, null, id % 11) gaps")
corrected, legacy = "CORRECTED", "LEGACY"
for name, frame, options, mode, refused in [
    ("default", words, {}, corrected, None), ("whole and exact numbers", whole, {}, corrected, None), ("nested", nested, {}, corrected, None), ("no rows", words.limit(0), {}, corrected, None),
    ("many rows", many, {}, corrected, None), ("many rows, pages of version 2", many, {"parquet.writer.version": "v2"}, corrected, None), ("small groups", many, {"parquet.block.size": 4096}, corrected, None),
    ("bloom filters", many, {"parquet.bloom.filter.enabled#name": "true"}, corrected, None), ("local times", local, {}, corrected, None),
    *[(codec, many, {"compression": codec}, corrected, None) for codec in ["none", "gzip", "zstd", "lz4raw"]], ("lz4 of Hadoop", many, {"compression": "lz4"}, corrected, "LZ4"),
    ("old days, INT96", old, {}, corrected, None), ("old days, microseconds", old, {"as": "TIMESTAMP_MICROS"}, corrected, None), ("milliseconds", modern, {"as": "TIMESTAMP_MILLIS"}, corrected, None),
    ("modern days by the old calendar, INT96", modern, {}, legacy, None), ("modern days by the old calendar, microseconds", modern, {"as": "TIMESTAMP_MICROS"}, legacy, None),
    ("old days by the old calendar, INT96", old, {}, legacy, "CORRECTED"), ("old days by the old calendar, microseconds", old, {"as": "TIMESTAMP_MICROS"}, legacy, "CORRECTED"),
    ("a list of old days by the old calendar", old.selectExpr("array(day) days"), {}, legacy, "CORRECTED"),
    ("a list of INT96", listed, {}, corrected, None), ("a list of moments", listed, {"as": "TIMESTAMP_MICROS"}, corrected, None),
    ("as Hive reads it", whole, {"legacy": True}, corrected, None), ("nested, as Hive reads it", nested, {"legacy": True}, corrected, None),
    ("intervals", spark.sql("select interval '1-2' year to month span"), {}, corrected, None),
]:
    kind = options.pop("as", "INT96")
    spark.conf.set("spark.sql.parquet.outputTimestampType", kind)
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", str(options.pop("legacy", False)).lower())
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", mode)
    spark.conf.set("spark.sql.parquet.int96RebaseModeInWrite", mode)
    data, _ = write(frame, "parquet", options)
    rows = None if refused is not None else rows_of(frame, kind != "INT96" and frame is not local)
    add(f"Spark/{name}.parquet", data, rows, "format=parquet", frame.columns, refused)

# JSON's texts are as Spark writes them; it leaves out what is null. A number that a double rounds is in whole numbers alone.
for name, frame in [("default", words.where("day > '1582-01-01'")), ("infinite", words.select("score")), ("numbers", whole.drop("bin", "d18", "d38")), ("nested", nested.drop("map", "lists")), ("nulls kept", nested.drop("map"))]:
    data, _ = write(frame, "json", {"ignoreNullFields": "kept" not in name})
    records = [json.loads(line) for line in data.splitlines()]
    rows = [[record.get(column) for column in frame.columns] for record in records]
    isText = {i for row in rows for i, value in enumerate(row) if isinstance(value, str)}
    cells = [[str(say(value)) if i in isText and value is not None else say(value) for i, value in enumerate(row)] for row in rows]
    add(f"Spark/{name}.json", data, cells, "format=json", frame.columns)
shutil.rmtree(os.path.join(folder, "of Spark"))
tell()
