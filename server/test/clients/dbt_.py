import json, os, subprocess, sys, tempfile
from checks import *

folder = tempfile.mkdtemp()
files = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: waymark\nflags: {send_anonymous_usage_stats: false}\n",
    "profiles.yml": f"waymark:\n  target: one\n  outputs:\n    one: {{type: postgres, host: '{HOST}', port: {PORT}, user: {USER}, password: {PASSWORD}, dbname: {DATABASE}, schema: main, threads: 1}}\n",
    "models/sources.yml": """
version: 2
sources:
  - name: main
    tables: [{name: orders, columns: [{name: id, data_tests: [unique, not_null]}]}]
  - name: analytics
    tables:
      - name: events
        config: {loaded_at_field: received_at, freshness: {warn_after: {count: 1, period: day}}}
""",
    "models/big.sql": "{{ config(materialized='ephemeral') }} select id, total from {{ source('main', 'orders') }} where total > 1",
    "models/stored.sql": "{{ config(materialized='table') }} select 1 as id",
    "tests/few.sql": "select * from {{ ref('big') }} where total > 100",
}
for name, text in files.items():
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def dbt(*words):
    program = os.path.join(os.path.dirname(sys.executable), "dbt")
    done = subprocess.run([program, *words, "--profiles-dir", folder, "--project-dir", folder], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise AssertionError((done.stdout + done.stderr)[-600:])
    return done.stdout


@check
def debug():
    """dbt debug connects"""
    equal("All checks passed!" in dbt("debug"), True)


@check
def freshness():
    """dbt source freshness asks when a source was loaded"""
    equal("PASS freshness of analytics.events" in dbt("source", "freshness"), True)


@check
def tests():
    """dbt test asks about a source, and through a model that is not stored"""
    equal("PASS=3" in dbt("test"), True)


@check
def stored():
    """dbt run refuses a model that would be stored, and says what to use"""
    try:
        dbt("run", "--select", "stored")
    except AssertionError as error:
        equal("`ephemeral` here" in " ".join(str(error).split()), True)
    else:
        raise AssertionError("no error")


@check
def docs():
    """dbt docs generate reads the catalog"""
    dbt("docs", "generate", "--no-compile")
    with open(os.path.join(folder, "target/catalog.json")) as file:
        sources = json.load(file)["sources"]
    equal(sources["source.shop.main.orders"]["columns"]["total"]["type"], "numeric(10,2)")


@check
def show():
    """dbt show runs a statement"""
    equal("9.9" in dbt("show", "--inline", "select * from {{ ref('big') }}"), True)


run()
