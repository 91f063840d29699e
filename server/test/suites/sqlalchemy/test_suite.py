from sqlalchemy.testing import fixtures
from sqlalchemy.testing.suite.test_cte import *
from sqlalchemy.testing.suite.test_dialect import *
from sqlalchemy.testing.suite.test_results import *
from sqlalchemy.testing.suite.test_select import *
from sqlalchemy.testing.suite.test_types import *

# Tests that read share their rows; those that write have none before they begin.
for each in list(globals().values()):
    if isinstance(each, type) and issubclass(each, fixtures.TablesTest) and each.insert_data.__func__ is not fixtures.TablesTest.insert_data.__func__:
        each.run_inserts, each.run_deletes = "once", None
