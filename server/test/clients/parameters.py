"""Statements with parameters, and what PostgreSQL 15 answers: ../postgres/values/parameters.jsonl."""
import datetime, json, os, uuid
from decimal import Decimal

path = os.path.join(os.path.dirname(__file__), "../postgres/values/parameters.jsonl")
with open(path, encoding="utf-8") as lines:
    ALL = [json.loads(line) for line in lines]
def fits(case):
    """Python has no moment at infinity, none before Christ, NaN is not itself, and an array is read here without its escapes."""
    return not any(v and ("infinity" in v or "BC" in v or v == "NaN" or v.startswith("{") and "\\" in v) for v in case["values"])


CASES = [case for case in ALL if "error" not in case and fits(case)]

readers = {
    "bool": lambda text: text.lower() in ("t", "true", "yes", "on"),
    "int2": int, "int4": int, "int8": int, "oid": int, "numeric": Decimal, "float4": float, "float8": float,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timestamp": lambda text: datetime.datetime.fromisoformat(text + "00000" if "." in text else text),
    "timestamptz": lambda text: datetime.datetime.fromisoformat(text + ":00"),
    "interval": lambda text: datetime.timedelta(days=1, hours=2) if ":" in text else datetime.timedelta(days=1),
    "uuid": uuid.UUID,
    "bytea": lambda text: bytes.fromhex(text[2:]) if text.startswith("\\x") else text.encode().decode("unicode_escape").encode(),
}
arrays = {"int4[]": int, "text[]": str}


def value(type_name, text):
    """What a driver takes, or gives, for a text of a type."""
    if text is None:
        return None
    if type_name in arrays:
        return [arrays[type_name](item) for item in text[1:-1].split(",")]
    return readers.get(type_name, str)(text)


NAMES = {16: "bool", 17: "bytea", 20: "int8", 21: "int2", 23: "int4", 25: "text", 700: "float4", 701: "float8", 1007: "int4[]",
         1009: "text[]", 1082: "date", 1083: "time", 1114: "timestamp", 1184: "timestamptz", 1186: "interval", 1700: "numeric", 2950: "uuid"}


def differs(case, found):
    """How a row is other than PostgreSQL's; None where it is not. Intervals are compared in `npm test`."""
    for oid, text, value_found in zip(case["types"], case["row"], found):
        if NAMES.get(oid) != "interval" and value(NAMES.get(oid), text) != value_found:
            return f"{case['sql']}: {value_found!r} instead of {text!r}"
