"""Which family a failure is of, in its own words, and how a caller adds a family."""

from __future__ import annotations

import pytest

from caselore.errors import BadInput
from caselore.logs import class_of, families_of, family_of, read, shipped_families
from caselore.logs.families import CLASSES

END = "ERROR: Job failed: exit code 1\n"
CASES = [
    ("migration", "Deployment timed out after 600s while migration 0042_backfill_payments was running"),
    ("migration", "psycopg2.errors.QueryCanceled: canceling statement due to statement timeout"),
    ("migration", "context deadline exceeded: migration of table orders did not finish within 300s"),
    ("migration", "ERROR: Migration V7__add_index.sql failed"),
    ("missing-variable", "KeyError: 'DATABASE_URL'"),
    ("missing-variable", "FATAL: environment variable REDIS_HOST is not set"),
    ("missing-variable", "./deploy.sh: line 3: API_TOKEN: unbound variable"),
    ("missing-variable", "Error: Missing required environment variable STRIPE_KEY"),
    ("out-of-memory", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
    ("out-of-memory", "c++: fatal error: Killed signal terminated program cc1plus"),
    ("out-of-memory", "java.lang.OutOfMemoryError: Java heap space"),
    ("disk-full", "OSError: [Errno 28] No space left on device"),
    ("network", "curl: (6) Could not resolve host: files.example"),
    ("network", "Error: connect ECONNREFUSED 10.0.0.1:5432"),
    ("registry", "Error response from daemon: toomanyrequests: You have reached your pull rate limit"),
    ("authentication", "fatal: Authentication failed for 'https://git.example/x.git/'"),
    ("authentication", "remote: HTTP Basic: Access denied"),
    ("dependency-conflict", "ERROR: No matching distribution found for left==9.9"),
    ("dependency-conflict", "npm ERR! code ERESOLVE"),
    ("timeout", "ERROR: Job failed: execution took longer than 1h0m0s seconds"),
    ("compile", "src/a.c:10:5: error: expected ';' before 'return'"),
    ("compile", "undefined reference to `push'"),
    ("type-check", "src/a.ts(3,4): error TS2322: Type 'string' is not assignable to type 'number'."),
    ("lint", "app/a.py:1:1: F401 'os' imported but unused (flake8)"),
    ("test-assertion", "AssertionError: expected 30 to equal 31"),
    ("test-error", "TypeError: handler is not a function"),
    ("crash", "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x60"),
    ("crash", "panic: runtime error: index out of range [3] with length 3"),
    ("configuration", "sh: 1: terraform: not found"),
    ("runner", "ERROR: Job failed (system failure): pod was evicted, runner lost communication"),
    ("flaky", "OSError: [Errno 98] Address already in use"),
    ("out-of-memory", "* What went wrong:\n> Not enough memory to run compilation. Try to increase it via 'gradle.properties':\n  java.lang.OutOfMemoryError: Java heap space"),
    ("missing-variable", "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nDATABASE_URL\n  Field required [type=missing, input_value={}, input_type=dict]"),
    ("missing-variable", "pydantic.error_wrappers.ValidationError: 1 validation error for Settings\nsecret_key\n  field required (type=value_error.missing)"),
    ("missing-variable", 'Error: Config validation error: "JWT_SECRET" is required'),
    ("missing-variable", "FATAL missing configuration: payments.key"),
    ("missing-variable", 'level=fatal msg="missing required key" key=stripe.secret'),
    ("missing-variable", "missing required key key=STRIPE_SECRET"),
    ("missing-variable", "ERROR: environment variable DATABASE_URL is not set, cannot run migrations"),
    ("missing-variable", "cannot run migrations: environment variable DATABASE_URL is not set"),
    ("missing-variable", "django.core.exceptions.ImproperlyConfigured: Set the SECRET_KEY environment variable"),
    ("unknown", "ERROR: the frobnicator said so"),
    ("disk-full", "ERROR: disk full on runner 3"),
    ("test-assertion", "FAILED tests/test_migrations.py::test_up - AssertionError: assert 3 == 4"),
    ("timeout", "Error: UPGRADE FAILED: pre-upgrade hooks failed: 1 error occurred:\n\t* job shop-init failed: DeadlineExceeded"),
    ("migration", "Error: UPGRADE FAILED: pre-upgrade hooks failed: 1 error occurred:\n\t* job shop-migrate failed: DeadlineExceeded"),
    ("migration", "$ helm upgrade shop\ncreating job shop-db-migration\nError: UPGRADE FAILED: pre-upgrade hooks failed: 1 error occurred:\n\t* job failed: DeadlineExceeded"),
    ("migration", "$ helm upgrade shop\nhook: job shop_migrate started\nError: UPGRADE FAILED: pre-upgrade hooks failed: timed out waiting for the condition"),
    ("timeout", "$ helm upgrade shop\nError: UPGRADE FAILED: failed post-install: 1 error occurred:\n\t* timed out waiting for the condition"),
    ("migration", "The deployment was cancelled because the database migration took longer than allowed"),
    ("migration", "error: failed to run database migrations: step 3"),
    ("migration", "DeployTimeout: migrate did not finish within 300s"),
]  # fmt: skip
KNOWN_WRONG = [
    # A test whose subject is a migration is told apart only by its reader, not by these words.
    (
        "migration",
        "AssertionError: migration plan should not fail on an empty list",
        "test-assertion",
    ),
]


@pytest.mark.parametrize(("family", "text"), CASES)
def test_a_failure_is_of_the_family_that_its_words_say(family: str, text: str) -> None:
    assert read((text + "\n" + END).encode(), name="x").signature.family == family


@pytest.mark.parametrize(("answered", "text", "right"), KNOWN_WRONG)
def test_known_wrong_families_are_still_the_same(answered: str, text: str, right: str) -> None:
    got = read((text + "\n" + END).encode(), name="x").signature.family

    assert (got, got == right) == (answered, False)


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'migrations'",
        "error: failed to load plugin frob while users migrate to the new API of widgets",
        "FAILED tests/test_migrations.py::test_up - AssertionError: assert 3 == 4",
        "ImportError: cannot import name 'Base' from 'shop.migrations'",
        "AssertionError: expected 3 rows, got 4 in migrations/test_totals.py",
    ],
)
@pytest.mark.parametrize("end", [END, ""])
def test_the_word_alone_makes_no_migration(text: str, end: str) -> None:
    assert read((text + "\n" + end).encode(), name="x").signature.family != "migration"


def test_every_family_has_a_class() -> None:
    assert {f.kind for f in shipped_families()} == set(CLASSES)
    assert class_of("out-of-memory") == "infrastructure"
    assert class_of("never heard of") == "unknown"


def test_a_family_of_the_caller_is_asked_first() -> None:
    own = families_of([{"name": "gpu", "class": "infrastructure", "patterns": ["CUDA error"]}])

    assert family_of(["RuntimeError: CUDA error: device lost"], "test-error", own).name == "gpu"
    assert (
        read(b"RuntimeError: CUDA error: lost\n", name="x", families=own).signature.family == "gpu"
    )


@pytest.mark.parametrize(
    "row",
    [{}, {"name": "x", "class": "odd"}, {"name": "x", "class": "code", "patterns": ["("]}],
)
def test_a_bad_family_is_refused_with_its_name(row: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        families_of([row])
