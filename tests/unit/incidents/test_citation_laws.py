"""Thousands of generated documents: a citation that does not carry its sentence never passes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from incident_world import case, hit, outcome, reading, recalled

from caselore.incidents.check import check
from caselore.incidents.document import Document, Quote, Sentence
from caselore.memory.records import Status

KNOWN = {
    f"inc_{number:04d}": case(
        f"inc_{number:04d}",
        str(1000 + number),
        outcome(
            cause=f"worker-{number} held the lock for {100 + 7 * number} s",
            resolution=f"Ran it with --limit={500 + 13 * number} from jobs/part_{number}.sql",
        ),
    )
    for number in range(5)
}
FAILED = case("inc_failed", "900", outcome(resolution="Raised it to 900s", result="failed"))
SEEN = case("inc_seen", "901", None, Status.OBSERVED)
THOUGHT = case("inc_thought", "902", None, Status.PROPOSED)
HELD = case("inc_held", "903", None, Status.QUARANTINED)
DROPPED = case("inc_dropped", "904", None, Status.RETRACTED)
UNRECALLED = case("inc_elsewhere", "905", outcome(resolution="Ran it with --limit=500"))
RECALLED = recalled(
    *(hit(one, same=True) for one in KNOWN.values()),
    hit(FAILED),
    *(hit(one, why_not="held back") for one in (SEEN, THOUGHT, HELD, DROPPED)),
)
READ = reading()
UNFIT = [
    FAILED.id,
    SEEN.id,
    THOUGHT.id,
    HELD.id,
    DROPPED.id,
    UNRECALLED.id,
    "inc_9999",
    "",
    "inc_",
]


def valid(pick: random.Random) -> Document:
    """Give a document of sentences each of which rests on its own record."""
    ids = pick.sample(sorted(KNOWN), pick.randint(1, 4))
    return Document(
        evidence=tuple(
            Quote(KNOWN[id].outcome.resolution, (id,)) for id in ids if pick.random() < 0.5
        ),
        diagnosis=tuple(
            Sentence(f"As before, {KNOWN[id].outcome.cause}.", (id,))
            for id in ids
            if pick.random() < 0.5
        ),
        fix=tuple(
            Sentence(f"Run it with --limit={500 + 13 * int(id[-1])} again", (id,)) for id in ids
        ),
    )


def broken(document: Document, pick: random.Random) -> tuple[Document, str]:
    """Break the citations of one fix; give the document and that fix's text."""
    at = pick.randrange(len(document.fix))
    fix = document.fix[at]
    own = fix.cites[0]
    cites = {
        "dropped": (),
        "swapped": (pick.choice([id for id in KNOWN if id != own]),),
        "unfit": (pick.choice(UNFIT),),
        "joined by one that is unfit": pick.choice(
            [(own, pick.choice(UNFIT[1:])), (pick.choice(UNFIT[1:]), own)]
        ),
        "misspelt": (own[:-1] + chr(ord(own[-1]) + 17),),
        "in capitals": (own.upper(),),
    }[
        pick.choice(
            [
                "dropped",
                "swapped",
                "unfit",
                "joined by one that is unfit",
                "misspelt",
                "in capitals",
            ]
        )
    ]
    changed = Sentence(fix.text, cites)
    return replace(document, fix=(*document.fix[:at], changed, *document.fix[at + 1 :])), fix.text


@pytest.mark.parametrize("tries", [300, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_document_with_a_broken_citation_is_accepted(tries: int) -> None:
    pick = random.Random(1017)
    for _ in range(tries):
        document, text = broken(valid(pick), pick)
        checked = check(document, RECALLED, READ)
        assert text in {one.text for one in checked.withheld}, document
        assert text not in {one.text for one in checked.document.fix}


@pytest.mark.parametrize("tries", [100, pytest.param(1_000, marks=pytest.mark.soak)])
def test_every_valid_document_is_accepted(tries: int) -> None:
    pick = random.Random(1057)
    for _ in range(tries):
        document = valid(pick)
        checked = check(document, RECALLED, READ)
        assert (checked.document, checked.withheld) == (document, ())
