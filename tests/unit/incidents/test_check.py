"""The checker lets through what the evidence of the run carries, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from incident_world import BOT, NOW, case, hit, outcome, reading, recalled

from caselore.incidents import templates
from caselore.incidents.check import check
from caselore.incidents.document import Document, Quote, Sentence
from caselore.memory.records import Proposal, Status

WORKED = case("inc_worked", "1017", outcome())
FAILED = case(
    "inc_failed",
    "1002",
    outcome(
        cause="The lock was held by a report",
        resolution="Raised the timeout to 900s",
        result="failed",
        why_failed="the report still held the lock after 900s",
    ),
)
SEEN = case("inc_seen", "1031", None, Status.OBSERVED)
NEAR = case("inc_near", "1040", outcome(resolution="Set SMTP_URL to mail:25"))
HELD = case("inc_held", "1050", None, Status.QUARANTINED)
RECALLED = recalled(
    hit(WORKED, same=True),
    hit(FAILED),
    hit(SEEN, why_not="seen before, not resolved yet"),
    hit(NEAR, why_not="other family"),
    hit(HELD, why_not="held"),
)
READ = reading()

GOOD = [
    Document(fix=(Sentence("Run it in batches of 500 records", ("inc_worked",)),)),
    Document(fix=(Sentence("Use --batch-size=500, as in #1017", ("inc_worked",)),)),
    Document(fix=(Sentence("Commit after each batch", ("inc_worked", "inc_failed")),)),
    Document(diagnosis=(Sentence("The lock waited after 30 s", (), (12,)),)),
    Document(diagnosis=(Sentence("It fails at line 12 of 0057_refund", (), (12,)),)),
    Document(diagnosis=(Sentence("This is the same failure as #1017", ("inc_worked",)),)),
    Document(diagnosis=(Sentence("Similar to #1031, not the same failure", ("inc_seen",)),)),
    Document(diagnosis=(Sentence("900s did not help in #1002", ("inc_failed",)),)),
    Document(evidence=(Quote("batches of 500 records", ("inc_worked",)),)),
    Document(evidence=(Quote("Raised the timeout to 900s", ("inc_failed",)),)),
]


@pytest.mark.parametrize("document", GOOD)
def test_what_the_evidence_carries_passes(document: Document) -> None:
    checked = check(document, RECALLED, READ)
    assert (checked.document, checked.withheld) == (document, ())


BAD = [
    (Document(fix=(Sentence("Run it in batches of 500 records"),)), "cites no precedent"),
    (
        Document(fix=(Sentence("Run it in batches of 1000 records", ("inc_worked",)),)),
        "1000 records",
    ),
    (Document(fix=(Sentence("Batches of 500 rows", ("inc_worked",)),)), "500 rows"),
    (Document(fix=(Sentence("Batches of 500 records", ("inc_other",)),)), "was not recalled"),
    (Document(fix=(Sentence("Batches of 500 records", ("",)),)), "was not recalled"),
    (Document(fix=(Sentence("Raise the timeout to 900s", ("inc_failed",)),)), "confirmed to work"),
    (Document(fix=(Sentence("Raise it to 900s", ("inc_worked", "inc_failed")),)), "900s"),
    (Document(fix=(Sentence("Just retry", ("inc_seen",)),)), "not confirmed"),
    (Document(fix=(Sentence("Just retry", ("inc_worked", "inc_seen")),)), "not confirmed"),
    (Document(fix=(Sentence("Set SMTP_URL to mail:25", ("inc_near",)),)), "confirmed to work"),
    (Document(fix=(Sentence("Just retry", ("inc_held",)),)), "quarantined"),
    (Document(fix=(Sentence("  ", ("inc_worked",)),)), "says nothing"),
    (Document(diagnosis=(Sentence("The lock was held"),)), "cites neither"),
    (Document(diagnosis=(Sentence("The lock was held", (), (99,)),)), "not in the excerpt"),
    (Document(diagnosis=(Sentence("It waited 31 s", (), (12,)),)), "31 s"),
    (Document(diagnosis=(Sentence("Seen in #1018", ("inc_worked",)),)), "#1018"),
    (
        Document(diagnosis=(Sentence("The same failure as #1002", ("inc_failed",)),)),
        "same failure",
    ),
    (Document(diagnosis=(Sentence("Held", ("inc_held",)),)), "quarantined"),
    (Document(diagnosis=(Sentence("Then Redis was down", ("inc_worked",)),)), "Redis"),
    (Document(evidence=(Quote("batches of 5000 records", ("inc_worked",)),)), "no literal span"),
    (Document(evidence=(Quote("batches of 500 records", ("inc_failed",)),)), "no literal span"),
    (Document(evidence=(Quote("", ("inc_worked",)),)), "quotes nothing"),
    (Document(evidence=(Quote("timeout", ()),)), "cites no record"),
    (Document(evidence=(Quote("timeout", ("inc_gone",)),)), "was not recalled"),
]


@pytest.mark.parametrize(("document", "reason"), BAD)
def test_what_the_evidence_does_not_carry_is_withheld_with_its_reason(
    document: Document, reason: str
) -> None:
    checked = check(document, RECALLED, READ)
    assert checked.document == Document()
    assert len(checked.withheld) == 1
    assert reason in checked.withheld[0].reason


def test_only_the_sentence_that_fails_is_withheld() -> None:
    good = Sentence("Run it in batches of 500 records", ("inc_worked",))
    bad = Sentence("Then restart 7 pods", ("inc_worked",))
    checked = check(Document(fix=(good, bad)), RECALLED, READ)
    assert checked.document.fix == (good,)
    assert [one.text for one in checked.withheld] == [bad.text]


def test_words_of_a_record_may_speak_of_sameness() -> None:
    told = outcome(cause="It is the same incident as last week, says the database team")
    alike = case("inc_alike", "1018", told)
    text = f"The cause was: {told.cause}"
    checked = check(
        Document(diagnosis=(Sentence(text, ("inc_alike",)),)), recalled(hit(alike)), READ
    )
    assert checked.withheld == ()


def test_what_an_agent_proposed_is_no_source() -> None:
    said = Proposal(7, "A slow disk", "Raise it to 77s", BOT, NOW)
    thought = replace(SEEN, status=Status.PROPOSED, proposed=said)
    document = Document(
        evidence=(Quote("Raise it to 77s", (thought.id,)),),
        diagnosis=(Sentence("Raise it to 77s", (thought.id,)),),
        fix=(Sentence("Raise it to 77s", (thought.id,)),),
    )
    checked = check(document, recalled(hit(thought, why_not="not resolved yet")), READ)
    assert checked.document == Document()


# --- laws ---------------------------------------------------------------------------------------

IDS = st.sampled_from(
    [
        "inc_worked",
        "inc_failed",
        "inc_seen",
        "inc_near",
        "inc_held",
        "inc_gone",
        "inc_worke",
        "",
        "#1017",
    ]
)
TEXTS = st.sampled_from(
    [
        "Ran the backfill in batches of 500 records with --batch-size=500",
        "Raised the timeout to 900s",
        "Set SMTP_URL to mail:25",
        "Commit after each batch",
    ]
)


@settings(max_examples=600, deadline=None)
@given(TEXTS, st.lists(IDS, max_size=4))
def test_law_a_fix_stands_only_on_a_recalled_confirmed_success(text: str, ids: list[str]) -> None:
    checked = check(Document(fix=(Sentence(text, tuple(ids)),)), RECALLED, READ)
    if checked.document.fix:
        assert "inc_worked" in ids
        assert set(ids) <= {"inc_worked", "inc_failed", "inc_near"}
        assert "900s" not in text


@settings(max_examples=400, deadline=None)
@given(st.lists(IDS, min_size=1, max_size=4), st.sampled_from(["evidence", "diagnosis", "fix"]))
def test_law_a_document_with_an_id_that_was_not_recalled_never_stands(
    ids: list[str], section: str
) -> None:
    ids = [*ids, "inc_gone"]
    text = "Commit after each batch"
    part = Quote(text, tuple(ids)) if section == "evidence" else Sentence(text, tuple(ids))
    checked = check(Document(**{section: (part,)}), RECALLED, READ)  # type: ignore[arg-type]
    assert checked.document == Document()


WORDS = st.text(
    alphabet=st.characters(exclude_categories=("Cs", "Cc"))
    | st.sampled_from("0123456789-/._=`\"' \n"),
    min_size=12,
    max_size=80,
).filter(lambda text: len(text.strip()) >= 12)


@settings(max_examples=250, deadline=None)
@given(WORDS, WORDS, WORDS, WORDS, st.booleans())
def test_law_templates_pass_whatever_the_records_say(
    cause: str, resolution: str, why: str, line: str, same: bool
) -> None:
    worked = case("inc_a", "1017", outcome(cause=cause, resolution=resolution))
    failed = case(
        "inc_b", "1002", outcome(cause=cause, resolution=why, result="failed", why_failed=why)
    )
    found = recalled(hit(worked, same=same), hit(failed))
    read = reading(line.replace("\n", " "))
    checked = check(templates.write(read, found), found, read)
    assert checked.withheld == ()
    assert [one.cites for one in checked.document.fix] == [("inc_a",)]


@pytest.mark.parametrize("words", ["same error", "the identical failure", "x=1", "v2", "ok"])
def test_a_fix_that_is_a_confirmed_resolution_word_for_word_always_passes(words: str) -> None:
    worked = case("inc_short", "1061", outcome(resolution=words))
    near = recalled(hit(worked, same=False), hit(FAILED))
    passed = check(Document(fix=(Sentence(words, ("inc_short",)),)), near, READ)
    assert passed.withheld == ()

    for cites in ((), ("inc_failed",), ("inc_other",)):
        held = check(Document(fix=(Sentence(words, cites),)), near, READ)
        assert held.document.fix == ()


def test_the_resolution_of_a_failed_fix_never_passes_word_for_word() -> None:
    text = "Raised the timeout to 900s"
    for cites in (("inc_failed",), ("inc_worked", "inc_failed")):
        held = check(Document(fix=(Sentence(text, cites),)), RECALLED, READ)
        assert held.document.fix == ()
