"""A writer's own sentence is held to what carries it: words, clauses, negations, results, sides."""

from __future__ import annotations

import pytest

from caselore.guards import prose, wording
from caselore.guards.wording import Carrier

WORKED = Carrier(
    "inc_1",
    "#1017",
    (
        ("error", "canceling statement due to statement timeout"),
        ("cause", "One transaction over 240000 rows held the lock past the timeout of 120 s"),
        (
            "resolution",
            "Reduced the batch size of the backfill from 5000 to 500 records. Do not restart the database.",
        ),
    ),
    facts="payment-service production main migration",
    result="succeeded",
    verdict="ana 2026-11-01",
)
FAILED = Carrier(
    "inc_2",
    "#1020",
    (
        ("cause", "The backfill held the lock"),
        ("resolution", "Raised the statement timeout to 900 s"),
        ("why it failed", "the lock was still held"),
    ),
    facts="payment-service",
    result="failed",
    verdict="ben 2026-11-02",
)
SEEN = Carrier("inc_3", "#1021", (("error", "lock wait timeout exceeded in 0042_fee"),))
LOG = Carrier(
    "the log",
    "",
    (("log", "lock wait timeout exceeded after 30 s in 0057_refund"),),
    lines="line 12",
)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("reduce", "reduced"),
        ("reduce", "reducing"),
        ("split", "splitting"),
        ("retry", "retried"),
        ("migrate", "migration"),
        ("apply", "applies"),
        ("set", "setting"),
        ("install", "installed"),
        ("batch", "batches"),
        ("restart", "restarts"),
        ("hold", "held"),
        ("run", "ran"),
        ("deploy", "deployment"),
    ],
)
def test_forms_of_one_word_have_one_stem(word, other):
    assert prose.stem(word) == prose.stem(other)


@pytest.mark.parametrize(
    ("word", "other"), [("rest", "restart"), ("add", "address"), ("drop", "dropdown")]
)
def test_other_words_have_another(word, other):
    assert prose.stem(word) != prose.stem(other)


@pytest.mark.parametrize(
    "word", ["drop", "restart", "raise", "team", "hundred", "twice", "always"]
)
def test_no_word_of_substance_is_grammar(word):
    assert prose.stem(word) not in prose.PLAIN


FAITHFUL = [
    ("This is the same failure as #1017.", [WORKED]),
    ("The cause of #1017 was one transaction over 240000 rows.", [WORKED]),
    ("Reducing the batch size of the backfill to 500 records worked.", [WORKED]),
    ("In #1017 a person confirmed that a batch size of 500 records fixed it.", [WORKED]),
    ("Raising the statement timeout to 900 s did not work in #1020.", [FAILED]),
    ("Do not raise the statement timeout to 900 s: the lock was still held.", [FAILED]),
    ("#1020 failed because the lock was still held.", [FAILED]),
    ("#1017 used 500 records, but in #1020 a timeout of 900 s failed.", [WORKED, FAILED]),
    ("The same lock wait timeout was seen in #1021.", [SEEN]),
    ("No cause of it is known.", [SEEN]),
    ("It is not confirmed.", [SEEN]),
    ("Do not restart the database.", [WORKED]),
    ("The batch size was reduced from 5000 to 500 records.", [WORKED]),
]


@pytest.mark.parametrize(
    ("text", "carriers"), FAITHFUL, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_faithful_sentence_stands(text, carriers):
    assert wording.objection(text, carriers) == ""


SMUGGLED = [
    ("Restart the database.", [WORKED], "turns round"),
    ("Drop the table and run the backfill again.", [WORKED], "Drop"),
    ("Do not reduce the batch size to 500 records.", [WORKED], "turns round"),
    ("Reducing the batch size to 500 records did not work.", [WORKED], "did not work"),
    ("Reducing the batch size to 500 records failed.", [WORKED], "did not work"),
    ("Raising the statement timeout to 900 s worked.", [FAILED], "worked"),
    ("Raise the statement timeout to 900 s.", [FAILED], "not that it failed"),
    ("In #1020 the batch size was 500 records.", [WORKED, FAILED], "500"),
    ("#1017 raised the timeout to 900 s and #1020 used 500 records.", [WORKED, FAILED], "900"),
    ("Set the batch size to 500 records.", [WORKED], "Set"),
    ("Reduce the batch size to 5000.", [WORKED], "old value"),
    ("Reduce the timeout to 500 records.", [WORKED], "stand"),
    ("The lock wait exceeded because of the database.", [SEEN], "database"),
    ("It failed because the lock timeout exceeded.", [SEEN], "cause"),
    ("The cause was one 0042_fee lock.", [SEEN], "one"),
    ("The cause was the lock wait.", [SEEN], "cause"),
    ("A person confirmed that.", [SEEN], "confirmed"),
    ("The team was surprised.", [WORKED], "team"),
    ("It always happens.", [WORKED], "always"),
    ("Five of the batches were reduced.", [WORKED], "Five"),
    ("See [#1017](x).", [WORKED], "markup"),
    ("<b>Reduce</b> the batch size.", [WORKED], "markup"),
    ("Die Datenbank wurde neu gestartet.", [WORKED], "stands not"),
    ("x" * 1_001, [WORKED], "longer"),
]


@pytest.mark.parametrize(
    ("text", "carriers", "reason"), SMUGGLED, ids=lambda one: one if isinstance(one, str) else ""
)
def test_what_its_carriers_do_not_carry_does_not_stand(text, carriers, reason):
    assert reason in wording.objection(text, carriers)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Reduce the batch size of the backfill to 500 records.", ""),
        ("Reduce the batch size of the backfill to 500 records, as for #1017.", ""),
        ("One transaction held the lock.", "stand"),
        ("Reduce the batch size to 120 s.", "120"),
        ("Raise the statement timeout to 900 s.", "900"),
    ],
)
def test_a_remedy_says_what_was_done_and_worked(text, reason):
    found = wording.objection(text, [WORKED, FAILED], remedy=True)

    assert reason in found if reason else found == ""


def test_the_log_carries_what_is_said_of_this_failure_but_nothing_of_a_precedent():
    assert wording.objection("The lock wait timeout exceeded after 30 s.", [], LOG) == ""
    assert "30 s" in wording.objection("#1017 failed after 30 s.", [WORKED], LOG)


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("from 5000 to 500 records", True),
        ("Do not restart the database", True),
        ("restart the database", False),
        ("to 50", False),
        ("500 record", False),
        ("  ", False),
        ("batch size of the backfill", True),
    ],
)
def test_a_quote_cuts_neither_a_value_nor_a_negation(quote, stands):
    assert wording.is_span(quote, WORKED.parts[2][1]) is stands


# Known to pass: every word stands in the source, but not in this relation.
KNOWN_WRONG = ["The lock exceeded 30 s.", "The timeout."]


@pytest.mark.parametrize("text", KNOWN_WRONG)
def test_known_wrong_answers_stay_known(text):
    assert wording.objection(text, [], LOG) == ""
