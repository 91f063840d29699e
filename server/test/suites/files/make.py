"""Writes files with pandas, polars, pyarrow, fastparquet and openpyxl, and some of what others are documented to write."""
import csv, datetime as dt, gzip, io, os, uuid
import fastparquet, numpy, openpyxl, pandas, polars, pyarrow, pyarrow.csv, pyarrow.parquet
from cases import D, UTC, add, add_csv, cases, folder, say, tell

frame = pandas.DataFrame({
    "id": [1, 2, 3], "name": ["Ann", "Böb, jr.", 'say "hi"'], "score": [1.5, 2.25, -3.0], "ok": [True, False, True],
    "day": pandas.to_datetime(["2024-01-01", "2024-02-29", "2024-12-31"]),
    "at": pandas.to_datetime(["2024-01-01 01:02:03", "2024-02-29 23:59:59.5", "2024-12-31 00:00:00"], format="ISO8601"),
    "maybe": ["x", None, "z"], "lines": ["a\nb", "c\r\nd", "e"],
})
german = frame[["id", "name", "score"]]
numbers = pandas.DataFrame({"small": [0.1, 1e-7, 123456.789], "large": [1e15, 1e16, 1e22], "gaps": [1.0, None, 3.0],
                            "inf": [float("inf"), float("-inf"), 0.0], "big": [2**53 + 1, -2**62, 0], "code": ["007", "010", "1e5"],
                            "unsigned": numpy.array([2**64 - 1, 0, 1], dtype="uint64")})
zoned = pandas.DataFrame({"at": pandas.to_datetime(["2024-03-31 00:30", "2024-07-01 12:00"]).tz_localize("UTC").tz_convert("Europe/Berlin"),
                          "nanos": pandas.to_datetime(["2024-01-01 00:00:00.123456789", "2024-01-02"], format="ISO8601"), "span": pandas.to_timedelta([1, 90000], unit="s")})

for name, options in {
    "default": {}, "without index": {"index": False}, "semicolons": {"sep": ";"}, "tabs": {"sep": "\t"}, "bars": {"sep": "|"},
    "every field quoted": {"quoting": csv.QUOTE_ALL}, "texts quoted": {"quoting": csv.QUOTE_NONNUMERIC}, "CRLF": {"lineterminator": "\r\n"},
    "dates by format": {"date_format": "%Y-%m-%dT%H:%M:%SZ"}, "day first": {"date_format": "%d/%m/%Y"}, "two digits": {"float_format": "%.2f"},
    "NA": {"na_rep": "NA"}, "NULL": {"na_rep": "NULL"}, "NaN": {"na_rep": "NaN"},
}.items():
    add_csv(f"pandas/{name}.csv", frame.to_csv(**options), options.get("sep", ","))
add_csv("pandas/numbers.csv", numbers.to_csv())
add_csv("pandas/zones and nanoseconds.csv", zoned.to_csv(index=False))
add_csv("pandas/German.csv", german.to_csv(sep=";", decimal=",", index=False), ";")
add_csv("pandas/with mark.csv", frame.to_csv().encode("utf-8-sig"))
add_csv("pandas/UTF-16.csv", frame.to_csv().encode("utf-16"), refused="UTF-8")
add_csv("pandas/Latin-1.csv", frame.to_csv().encode("latin-1"), refused="UTF-8")
add("pandas/backslashes.csv", german.to_csv(index=False, doublequote=False, escapechar="\\"), [["1", "Ann", "1.5"], ["2", "Böb, jr.", "2.25"], ["3", 'say "hi"', "-3.0"]], "", list(german))
add_csv("pandas/single quotes.csv", german.to_csv(index=False, quotechar="'"), refused="Row 3 has 4 fields")
add_csv("pandas/multiindex.csv", frame.groupby(["id", "ok"])["score"].sum().to_frame().to_csv())
add_csv("pandas/two headers.csv", frame.pivot_table(index="id", columns="ok", values=["score"]).to_csv(), refused="more than once")
add_csv("pandas/a series.csv", frame["score"].to_csv())
add_csv("pandas/empty.csv", frame.head(0).to_csv(index=False))
add_csv("pandas/dtype of names.csv", pandas.DataFrame({"a b": [1], "ü": [2], 'q"': [3], "select": [4], "5": [6]}).to_csv(index=False))
add_csv("pandas/one column.csv", pandas.DataFrame({"a": ["x", None, ""]}).to_csv(index=False))
p = polars.from_pandas(frame)
add_csv("polars/default.csv", p.write_csv())
add_csv("polars/semicolons.csv", p.write_csv(separator=";"), ";")
add_csv("polars/with mark.csv", p.write_csv(include_bom=True))
add_csv("polars/quotes everywhere.csv", p.write_csv(quote_style="always"))
add_csv("polars/null as NA.csv", p.write_csv(null_value="NA"))
add_csv("polars/precise.csv", p.write_csv(float_precision=4, float_scientific=False))
add_csv("polars/scientific.csv", p.write_csv(float_scientific=True))
add_csv("polars/numbers.csv", polars.from_pandas(numbers).write_csv())
add_csv("polars/times.csv", polars.DataFrame({"t": [dt.time(1, 2, 3), dt.time(23, 59, 59, 5)], "d": [dt.date(2024, 1, 1), None],
        "z": [dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(2024, 7, 1, 5, tzinfo=UTC)]}).write_csv())
for quoting in ["needed", "all_valid", "none"]:
    out = io.BytesIO()
    table = pyarrow.Table.from_pandas(frame[["id", "score", "ok", "day"]] if quoting == "none" else frame)
    pyarrow.csv.write_csv(table, out, pyarrow.csv.WriteOptions(quoting_style=quoting))
    add_csv(f"pyarrow/quoting {quoting}.csv", out.getvalue())
for dialect, sep in [("excel", ","), ("excel-tab", "\t"), ("unix", ",")]:
    out = io.StringIO(newline="")
    csv.writer(out, dialect).writerows([["a", "b", "c"], [1, "x, y", None], [2.5, 'q"uote', "line\nend"], [3, "\ttab", " space "]])
    add_csv(f"csv module/{dialect}.csv", out.getvalue(), sep)

# What these write is known from their documentation; they are not here to write it.
add_csv("Excel/German.csv", "\ufeffDatum;Betrag;Artikel\r\n01.02.2024;1.234,56;\"A;B\"\r\n03.02.2024;7,00;C\r\n", ";")
add("Excel/sep line.csv", "sep=;\r\na;b\r\n1;x\r\n2;y\r\n", [["1", "x"], ["2", "y"]], "format=csv", ["a", "b"])
add_csv("Excel/Unicode text.txt", "a\tb\r\n1\tü\r\n".encode("utf-16"), refused="UTF-8")
add_csv("Excel/formulas.csv", "code,n\r\n=\"001\",1\r\n")
add_csv("R/write.csv", '"","x","y"\n"1",1,"a"\n"2",NA,"b"\n')
add_csv("R/write.csv2", '"";"x";"y"\n"1";1,5;"a"\n"2";2;"b"\n', ";")
add_csv("R/write.table, whose header is short", '"x" "y"\n"1" 1 "a"\n', refused="")
add_csv("R/large numbers.csv", '"n","m"\n1e+05,1\n123456,1e-04\n')
add_csv("Spark/escaped by backslashes.csv", 'id,name\n1,"say \\"hi\\""\n2,b\n', refused="")
add_csv("Spark/plain.csv", 'id,name,at\n1,a,2024-01-01T00:00:00.000Z\n2,"",2024-01-02T00:00:00.000+01:00\n')
add_csv("PostgreSQL/COPY csv.csv", "id,ok,at,tags\n1,t,2024-01-01 00:00:00+00,\"{a,b}\"\n2,f,2024-01-01 00:00:00+05:30,{}\n")
add_csv("MySQL/outfile.tsv", "id\tname\n1\t\\N\n2\tx\n", "\t")
add_csv("SQLite/quoted.csv", 'id,name\r\n1,"it\'s ""x"""\r\n2,\r\n')
add("gzip.csv.gz", gzip.compress(frame.to_csv(index=False).encode()), refused="")

# Parquet
def add_parquet(name, write, table=None, refused=None):
    path = os.path.join(folder, name.replace("/", "-"))
    write(path)
    held = pyarrow.parquet.ParquetFile(path).read() if table is None else table
    rows = None if refused is not None else [[say(value) for value in row.values()] for row in held.to_pylist()]
    cases.append({"name": name, "query": "format=parquet", "columns": held.column_names, "rows": rows, "refused": refused})


pa, pq = pyarrow, pyarrow.parquet
add_parquet("pandas/pyarrow.parquet", lambda path: frame.to_parquet(path))
add_parquet("pandas/with an index.parquet", lambda path: frame.set_index("id").to_parquet(path))
add_parquet("pandas/numbers.parquet", lambda path: numbers.to_parquet(path))
add_parquet("pandas/zones.parquet", lambda path: zoned[["at"]].to_parquet(path))
add_parquet("pandas/nanoseconds.parquet", lambda path: zoned[["nanos"]].to_parquet(path))
add_parquet("pandas/category.parquet", lambda path: frame.assign(name=frame["name"].astype("category")).to_parquet(path))
add_parquet("pandas/fastparquet.parquet", lambda path: fastparquet.write(path, frame[["id", "name", "score", "ok"]]))
add_parquet("polars/default.parquet", lambda path: p.write_parquet(path))
add_parquet("polars/nested.parquet", lambda path: polars.DataFrame({"l": [[1, 2], [], None], "s": [{"a": 1, "b": "x"}, {"a": None, "b": "y"}, {"a": 3, "b": None}]}).write_parquet(path))
add_parquet("polars/enum and decimal.parquet", lambda path: polars.DataFrame({"c": polars.Series(["a", "b"], dtype=polars.Categorical), "d": polars.Series([D("1.10"), D("-2.25")])}).write_parquet(path))

values = {
    "int8": (pa.int8(), [-128, 127, None]), "int16": (pa.int16(), [-1, 0, 32767]), "int64": (pa.int64(), [-2**63, 2**63 - 1, 2**53]),
    "uint8": (pa.uint8(), [0, 255, None]), "uint16": (pa.uint16(), [0, 65535]), "uint32": (pa.uint32(), [0, 2**32 - 1]), "uint64": (pa.uint64(), [0, 2**64 - 1]),
    "float32": (pa.float32(), [0.5, -1.25, None]), "float64": (pa.float64(), [0.1, 1e300, 5e-324]), "float16": (pa.float16(), [numpy.float16(0.5), numpy.float16(2)]),
    "odd floats": (pa.float64(), [float("nan"), float("inf"), -0.5]), "bool": (pa.bool_(), [True, False, None]), "string": (pa.string(), ["", "ä\0b", None, "👍"]),
    "large string": (pa.large_string(), ["x", None]), "binary": (pa.binary(), [b"\0\xffa", None, b""]), "fixed binary": (pa.binary(3), [b"abc", b"\1\2\3"]),
    "date32": (pa.date32(), [dt.date(1, 1, 1), dt.date(2024, 2, 29), dt.date(9999, 12, 31)]), "date64": (pa.date64(), [dt.date(2024, 2, 29), None]),
    "time32": (pa.time32("ms"), [dt.time(1, 2, 3, 4000), None]), "time64": (pa.time64("us"), [dt.time(23, 59, 59, 999999), dt.time(0)]),
    "timestamp ms": (pa.timestamp("ms"), [dt.datetime(2024, 1, 1, 1, 2, 3, 4000), None]), "timestamp us": (pa.timestamp("us"), [dt.datetime(1900, 1, 1), dt.datetime(2024, 1, 1, 0, 0, 0, 1)]),
    "timestamp s": (pa.timestamp("s"), [dt.datetime(2024, 1, 1), None]), "timestamp zoned": (pa.timestamp("us", "Europe/Berlin"), [dt.datetime(2024, 3, 31, 0, 30, tzinfo=UTC), None]),
    "decimal 9": (pa.decimal128(9, 2), [D("1234567.89"), D("-0.01"), None]), "decimal 18": (pa.decimal128(18, 3), [D("123456789012345.678"), D("0.001")]),
    "decimal 38": (pa.decimal128(38, 10), [D("1234567890123456789012345678.0123456789"), D("-1.5000000000")]), "list": (pa.list_(pa.int32()), [[1, None], [], None]),
    "nested list": (pa.list_(pa.list_(pa.string())), [[["a"], []], None]), "fixed list": (pa.list_(pa.int32(), 2), [[1, 2], [3, 4]]),
    "struct": (pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))]), [{"a": 1, "b": ["x"]}, {"a": None, "b": None}, None]),
    "list of structs": (pa.list_(pa.struct([("k", pa.string()), ("v", pa.float64())])), [[{"k": "a", "v": 0.5}], []]), "null": (pa.null(), [None, None]),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), ["a", "b", "a", None]),
}
for name, (kind, items) in values.items():
    add_parquet(f"pyarrow/{name}.parquet", lambda path: pq.write_table(pa.table({"id": range(len(items)), "v": pa.array(items, kind)}), path))
mapped = pa.table({"v": pa.array([[("a", 1), ("b", None)], []], pa.map_(pa.string(), pa.int32()))})
add_parquet("pyarrow/map.parquet", lambda path: pq.write_table(mapped, path), pa.table({"v": [{"a": 1, "b": None}, {"a": None, "b": None}]}))
cases[-1]["rows"] = [[{"a": 1, "b": None}], [{}]]
add_parquet("pyarrow/uuid.parquet", lambda path: pq.write_table(pa.table({"v": pa.array([uuid.UUID(int=5).bytes], pa.uuid())}), path))
cases[-1]["rows"] = [[str(uuid.UUID(int=5))]]
plain = pa.table({"id": range(2000), "name": [f"n{i % 7}" for i in range(2000)], "x": [i / 3 for i in range(2000)], "at": pa.array([dt.datetime(2024, 1, 1) + dt.timedelta(seconds=i * 61) for i in range(2000)], pa.timestamp("us"))})
for name, options in {
    **{codec: {"compression": codec} for codec in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]},
    "version 1": {"version": "1.0"}, "version 2.4": {"version": "2.4"}, "pages of version 2": {"data_page_version": "2.0"}, "no dictionary": {"use_dictionary": False},
    "small groups": {"row_group_size": 7}, "small pages": {"data_page_size": 64}, "INT96": {"use_deprecated_int96_timestamps": True}, "milliseconds": {"coerce_timestamps": "ms", "allow_truncated_timestamps": True},
    "delta": {"use_dictionary": False, "column_encoding": {"id": "DELTA_BINARY_PACKED", "name": "DELTA_BYTE_ARRAY", "x": "BYTE_STREAM_SPLIT"}},
    "delta lengths": {"use_dictionary": False, "column_encoding": {"name": "DELTA_LENGTH_BYTE_ARRAY"}}, "checksums": {"write_page_checksum": True}, "without statistics": {"write_statistics": False}, "page index": {"write_page_index": True},
}.items():
    add_parquet(f"pyarrow/{name}.parquet", lambda path: pq.write_table(plain, path, **options))
for name, columns, refused in [
    ("odd names", {"a b": [1], "ü": [2], "select": [3], 'q"': [4]}, None), ("names that differ in case", {"a": [1], "A": [2]}, "case"), ("a name that is empty", {"": [1]}, "empty"),
    ("no rows", {"a": pa.array([], pa.int32()), "b": pa.array([], pa.string())}, None), ("decimal 76", {"d": pa.array([D("1.01")], pa.decimal256(50, 2))}, "38"),
]:
    add_parquet(f"pyarrow/{name}.parquet", lambda path: pq.write_table(pa.table(columns), path), refused=refused)
add_parquet("pyarrow/time64 with nanoseconds.parquet", lambda path: pq.write_table(pa.table({"v": pa.array([1, 1500], pa.time64("ns"))}), path), pa.table({"v": ["00:00:00.000000001", "00:00:00.0000015"]}))
add_parquet("pyarrow/moments with nanoseconds.parquet", lambda path: pq.write_table(pa.table({"v": pa.array([1704067200123456789], pa.timestamp("ns", "UTC"))}), path), pa.table({"v": ["2024-01-01 00:00:00.123456789"]}))
add_parquet("pyarrow/spans.parquet", lambda path: pq.write_table(pa.table({"v": pa.array([5], pa.duration("s"))}), path), pa.table({"v": [5]}))

book = openpyxl.Workbook()
book.active.append(["a", 1])
book.save(os.path.join(folder, "book.xlsx"))
cases.append({"name": "book.xlsx", "query": "", "columns": None, "rows": None, "refused": ""})
tell()
