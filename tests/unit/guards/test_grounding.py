"""A value passes only where it stands verbatim; a changed one never does."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caselore.guards.grounding import ungrounded, values

FIX = (
    "Ran the backfill in batches of 500 records with --batch-size=500 and statement_timeout = 30s; "
    "pinned requests to v1.2.3 in services/pay/requirements.txt, set DB_URL for PaymentService and "
    'ran `alembic upgrade head`. The dashboard https://grafana.example/d/42 said "no lock held".'
)


def found(text: str, *sources: str) -> list[str]:
    """Give the texts of what is not grounded."""
    return [value.text for value in ungrounded(text, sources)]


EXTRACTED = [
    ("waits 30s", [("number", "30s")]),
    ("waits 30 seconds", [("number", "30 seconds")]),
    ("in batches of 500 records.", [("number", "500 records")]),
    ("a 500-record batch", [("number", "500-record")]),
    ("five hundred records", [("number", "five hundred"), ("number", "hundred records")]),
    ("up by 12.5%", [("number", "12.5%")]),
    ("costs $1,200", [("number", "$1,200")]),
    ("from v1.2.3 to 2.0.0-rc1", [("version", "v1.2.3"), ("version", "2.0.0-rc1")]),
    ("needs >=3.11", [("number", ">=3.11")]),
    ("with --no-cache and -j", [("flag", "--no-cache"), ("flag", "-j")]),
    ("edit src/app/models.py now", [("path", "src/app/models.py")]),
    ("the .env file", [("identifier", ".env")]),
    ("set retries=3 there", [("setting", "retries=3"), ("number", "3")]),
    ("DB_URL is empty", [("identifier", "DB_URL")]),
    ("call loadUser() first", [("identifier", "loadUser()"), ("identifier", "loadUser")]),
    ("run `make clean`", [("command", "make clean")]),
    ('it said "no space"', [("quoted", "no space")]),
    ("see https://a.example/b", [("url", "https://a.example/b")]),
    ("restart Redis first", [("name", "Redis")]),
    ("payment-service is slow", [("identifier", "payment-service")]),
    ("as in #1017", [("number", "#1017")]),
    ("re\u200bstart it", [("hidden", "re\u200bstart")]),
    ("rеstart it", [("mixed", "rеstart")]),
    ("５００ rows", [("mixed", "５００")]),
    ("批次500条", [("number", "500")]),
]


@pytest.mark.parametrize(("text", "expected"), EXTRACTED)
def test_values_are_extracted_with_their_kind(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(value.kind, value.text) for value in values(text)] == expected


PROSE = [
    "The migration held a lock for too long, so the deployment was stopped.",
    "It's the job's own fault; don't re-run it.",
    "A long-running query, e.g. the backfill, blocks writers and/or readers.",
    "Do this once. Then check the CI and the PR.",
    "Die Migration lief zu lange.",
    "La requête a été annulée.",
    "Миграция заняла слишком много времени.",
]


@pytest.mark.parametrize("text", PROSE[:4] + PROSE[5:])
def test_prose_holds_no_values(text: str) -> None:
    assert values(text) == ()


def test_a_german_noun_is_taken_for_a_name_and_that_is_known() -> None:
    assert [value.kind for value in values(PROSE[4])] == ["name"]


CHANGED = [
    ("5000 records", "500 records"),
    ("50 records", "500 records"),
    ("500 records", "5000 records"),
    ("500", "1,500"),
    ("500", "500.5"),
    ("500", "-500"),
    ("-500", "500"),
    ("500", ">=500"),
    (">=500", "<=500"),
    ("500", "v500"),
    ("500", "500ms"),
    ("500", "500 ms"),
    ("500 rows", "500 records"),
    ("30m", "30s"),
    ("30 s", "30 ms"),
    ("30", "30 seconds"),
    ("200–1000 records", "500 records"),
    ("1000 records", "500-1000 records"),
    ("v1.2.3", "v1.2.4"),
    ("v1.2.3", "v1.2.3-rc1"),
    ("1.2", "1.2.3"),
    ("1.2.3", "v1.2.3"),
    ("--batch-size", "--batch-sizes"),
    ("--no-cache", "--cache"),
    ("-j", "--j"),
    ("src/app/models.py", "src/apps/models.py"),
    ("app/models.py", "src/app/models.py"),
    ("src/app", "src/app/models.py"),
    ("DB_URL", "DB_URL_2"),
    ("DB_URL", "db_url"),
    ("db_url", "DB_URL"),
    ("paymentservice", "PaymentService"),
    ("Paymentservice", "PaymentService"),
    ("payment-service", "payments-service"),
    ("timeout=500", "timeout: 30, batch=500"),
    ("https://a.example/b", "https://a.example/bc"),
    ("`make clean`", "make cleanup"),
    ('"no space"', "there is space"),
    ("#1017", "#10170"),
    ("Kafka was restarted by Redis", "Kafka was restarted"),
    ("5\u200b00 records", "500 records"),
    ("50\u06600 records", "500 records"),
    ("５００ records", "500 records"),
    ("sеrvices/pay", "services/pay"),
    ("re\u200bcords", "records"),
    ("twenty minutes", "20 minutes"),
]


@pytest.mark.parametrize(("text", "source"), CHANGED)
def test_a_changed_value_is_found(text: str, source: str) -> None:
    assert found(text, source)


FAITHFUL = [
    ("The batch size was 500.", "batches of 500 records"),
    ("a 500-record batch", "batches of 500 records"),
    ("Use 30 s here", "timeout 30s"),
    ("(see #1017)", "deployment #1017."),
    ("Set `DB_URL` first", "DB_URL was missing"),
    ("`alembic  upgrade head`", "then alembic upgrade\nhead was run"),
    ("pass --batch-size 500", "with --batch-size=500"),
    ("pinned to 1.2.3", "requests==1.2.3"),
    ("left-pad 1.3.0 is gone", "left-pad@1.3.0"),
    ("PaymentService's pool", "the pool of PaymentService"),
    ("on 2026-11-03", "at 2026-11-03, by ana"),
    ("edit src/app/models.py.", "src/app/models.py:12"),
]


@pytest.mark.parametrize(("text", "source"), FAITHFUL)
def test_a_faithful_wording_passes(text: str, source: str) -> None:
    assert found(text, source) == []


def test_a_value_may_come_from_any_of_the_sources() -> None:
    assert found("500 records in 30s", "500 records", "30s") == []
    assert found("500 records in 30s", "500 records") == ["30s"]


def test_without_sources_every_value_is_ungrounded() -> None:
    assert found("500 records") == ["500 records"]
    assert found("just prose") == []


# --- laws ---------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["the", "batch", "ran", "again", "with", "a", "small", "pool", "and", "held", "no", "lock"]
)
NUMBERS = st.integers(2, 99_999).map(str)
UNITS = st.sampled_from(["ms", "s", " seconds", " records", " retries", "MB", "%", " GiB"])
NAMES = st.from_regex(r"[a-z]{3,8}", fullmatch=True)
VALUES = st.one_of(
    st.builds(str.__add__, NUMBERS, UNITS),
    NUMBERS,
    st.lists(st.integers(0, 99).map(str), min_size=3, max_size=4).map(lambda p: "v" + ".".join(p)),
    st.builds("--{}-{}".format, NAMES, NAMES),
    st.lists(NAMES, min_size=2, max_size=4).map("/".join).map("src/{}.py".format),
    st.builds("{}_{}".format, NAMES, NAMES).map(str.upper),
    st.builds(lambda a, b: a.title() + b.title(), NAMES, NAMES),
    st.builds("{}={}".format, NAMES, NUMBERS),
    st.builds("https://{}.example/{}".format, NAMES, NAMES),
    NAMES.map("`make {}`".format),
)
SENTENCES = st.lists(st.one_of(WORDS, VALUES), min_size=1, max_size=12).map(" ".join)
ALIKE = {
    "a": "а",
    "c": "с",
    "e": "е",
    "o": "о",
    "p": "р",
    "x": "х",
    "s": "ѕ",
    "i": "і",
    "0": "О",
    "1": "l",
    "5": "S",
    "A": "А",
    "E": "Е",
    "O": "О",
    "P": "Р",
    "S": "Ѕ",
}


def _digit(char: str) -> str:
    return str((int(char) + 1) % 10)


def _mutated(value: str, at: int, way: str) -> str:
    """Change one character of a value in one way; the value itself where the way does not apply."""
    char = value[at]
    change = {
        "digit": _digit(char) if char.isdigit() else char,
        "longer": char + char if char.isalnum() else char,
        "shorter": "",
        "case": char.swapcase(),
        "alike": ALIKE.get(char, char),
        "unseen": char + "\u200b",
        "joined": char + "\u2060",
    }[way]
    return value[:at] + change + value[at + 1 :]


@settings(max_examples=250, deadline=None)
@given(SENTENCES)
def test_law_a_faithful_text_is_never_rejected(text: str) -> None:
    assert found(text, text) == []
    assert found(f"({text})", f"Before: {text}; after") == []


@settings(max_examples=800, deadline=None)
@given(
    st.lists(WORDS, max_size=4),
    VALUES,
    st.lists(WORDS, max_size=4),
    st.integers(0, 40),
    st.sampled_from(["digit", "longer", "case", "alike", "unseen", "joined"]),
)
def test_law_one_changed_character_is_always_found(
    before: list[str], value: str, after: list[str], at: int, way: str
) -> None:
    source = " ".join([*before, value, *after])
    changed = _mutated(value, at % len(value), way)
    assume(changed != value and changed.strip("`") != value.strip("`"))
    assert found(" ".join([*before, changed, *after]), source), (value, changed)


@settings(max_examples=200, deadline=None)
@given(
    NUMBERS,
    st.sampled_from(["ms", "s", "m", "h", "MB", "GB", "%", " records", " rows", " seconds"]),
    st.data(),
)
def test_law_a_changed_unit_is_always_found(number: str, unit: str, data: st.DataObject) -> None:
    other = data.draw(
        st.sampled_from(
            ["ms", "s", "m", "h", "MB", "GB", "%", " records", " rows", " seconds", ""]
        )
    )
    assume(other.strip() != unit.strip() and (other or unit.strip() not in {"records", "rows"}))
    assert found(f"wait {number}{other} then", f"wait {number}{unit} then")


@settings(max_examples=200, deadline=None)
@given(SENTENCES, SENTENCES)
def test_law_values_of_another_text_are_all_found(text: str, source: str) -> None:
    known = {value.normal for value in values(source)}
    missing = set(found(text, source))
    for value in values(text):
        if value.kind in {"version", "flag", "path", "url"} and value.normal not in known:
            assert value.text in missing


@pytest.mark.parametrize("text", ['set it to " "', "use `  ` as the separator", "“ ” and « »"])
def test_a_quotation_of_blanks_is_no_value_and_no_crash(text):
    assert ungrounded(text, ["something else"]) == ()
