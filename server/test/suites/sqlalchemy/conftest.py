"""The Postgres door reads: what the tests write goes by HTTP, where the service is told its dialect."""
import base64, json, os, re, urllib.error, urllib.request
import psycopg, pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.testing.plugin.pytestplugin import *

CREDENTIALS = "Basic " + base64.b64encode(b"ada:lovelace").decode()
WRITES = re.compile(r"\s*(CREATE|DROP|INSERT|COMMENT|ALTER|DELETE|UPDATE|WITH .*INSERT)\b", re.I | re.S)


def write(statement):
    # Its sequences are not needed: the tests that are run give each row its id.
    statement = re.sub(r"\bBIGSERIAL\b", "BIGINT", re.sub(r"\b(SMALL)?SERIAL\b", "INTEGER", statement))
    body = json.dumps({"statement": statement, "dialect": "postgres"}).encode()
    request = urllib.request.Request(os.environ["WAYMARK_URL"] + "/query", body, {"authorization": CREDENTIALS})
    try:
        urllib.request.urlopen(request).read()
    except urllib.error.HTTPError as error:
        raise psycopg.DatabaseError(json.loads(error.read())["message"]) from None


def take(cursor, statement, parameters):
    if "CREATE EXTENSION" in statement:
        return True
    if not WRITES.match(statement):
        return False
    write(psycopg.ClientCursor(cursor.connection).mogrify(statement, parameters) if parameters else statement.replace("%%", "%"))
    return True


@event.listens_for(Engine, "do_execute")
def do_execute(cursor, statement, parameters, context):
    return take(cursor, statement, parameters)


@event.listens_for(Engine, "do_execute_no_params")
def do_execute_no_params(cursor, statement, context):
    return take(cursor, statement, None)


@event.listens_for(Engine, "do_executemany")
def do_executemany(cursor, statement, parameters, context):
    return all([take(cursor, statement, each) for each in parameters])
