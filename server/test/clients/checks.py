"""What the Python tools share: where the service is, and one line for each check."""
import os, sys, traceback

HOST, PORT = "127.0.0.1", int(os.environ.get("WAYMARK_PORT", "5432"))
USER, PASSWORD, DATABASE = "ada", "lovelace", "lakehouse"
URL = f"postgresql://{USER}:{PASSWORD}@{HOST}:{PORT}/{DATABASE}"
checks = []


def check(work):
    checks.append(work)
    return work


def tell(name, error=None):
    reason = "" if error is None else " ".join(f"{type(error).__name__}: {error}".split())[:300]
    print(f"{'-' if error else '+'} {name}{': ' + reason if error else ''}", flush=True)


def run():
    for work in checks:
        name = (work.__doc__ or work.__name__).strip()
        try:
            work()
            tell(name)
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            tell(name, error)


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")
