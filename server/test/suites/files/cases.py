"""What the writers of files share: each writes files into a folder and tells, in list.json, what they hold by their maker.

Of csv that is the text of each cell; of Parquet and JSON each value as docs/api.md says that /query writes it. `refused`
has a word of the reason instead.
"""
import csv, datetime as dt, decimal, io, json, math, os, sys

folder, cases = sys.argv[1], []
D, UTC = decimal.Decimal, dt.timezone.utc


def add(name, data, cells=None, query="", columns=None, refused=None):
    with open(os.path.join(folder, name.replace("/", "-")), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    cases.append({"name": name, "query": query, "columns": columns, "rows": cells, "refused": refused})


def read_cells(text, sep=",", header=True):
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=sep))
    names = [name or f"column{i}" for i, name in enumerate(rows[0])] if header else None
    return {"columns": names, "cells": [[cell or None for cell in row] for row in (rows[1:] if header else rows)]}


def add_csv(name, data, sep=",", query="", refused=None):
    """`data` is what the maker wrote; the cells are read from it by Python's csv module."""
    held = {"columns": None, "cells": None}
    if refused is None:
        text = data if isinstance(data, str) else data.decode()
        held = read_cells(text.removeprefix("\ufeff"), sep)
    add(name, data, held["cells"], query or "format=csv", held["columns"], refused)


def say(value):
    """A value as docs/api.md says that /query writes it."""
    if value is None or value != value or (isinstance(value, float) and math.isinf(value)):
        return None
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, D):
        digits = str(value).replace("-", "").replace(".", "").lstrip("0")
        return float(value) if len(digits) <= 17 else str(value)
    if isinstance(value, dt.datetime):
        nanos = getattr(value, "nanosecond", 0)
        fraction = f"{value.microsecond:06}{nanos:03}".rstrip("0")
        text = (value.astimezone(UTC) if value.tzinfo else value).isoformat(" ", "seconds")[:19] + ("." + fraction if fraction else "")
        return text.replace(" ", "T") + "+00:00" if value.tzinfo else text
    if isinstance(value, dt.time):
        return value.strftime("%H:%M:%S") + (f".{value.microsecond:06}".rstrip("0") if value.microsecond else "")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'\"" else f"\\x{b:02X}" for b in value)
    if isinstance(value, dict):
        return {name: say(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [say(each) for each in value]
    return value if isinstance(value, float) else str(value)


def tell():
    with open(os.path.join(folder, "list.json"), "w") as file:
        json.dump(cases, file)
