"""Drafts cause and resolution of an incident from the change that mended it.

Must not confirm anything: what it gives is proposed. Must not say what stands neither in the
change nor in the failing lines, nor repeat a line that gives orders to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caselore.errors import BadInput
from caselore.guards import grounding, injection, secrets, wording
from caselore.guards.carriers import CHANGE, Carrier
from caselore.incidents.document import Sentence, Withheld
from caselore.incidents.prompting import rules
from caselore.llm.grounded import Phraser, Said, Task
from caselore.memory.records import Case

LONGEST = 2_000_000  # characters of a change
MOST_HUNKS = 40
LINE = 200  # characters of one changed line
SHOWN = 6  # changed places that a template names
TASK = "draft-1"
LOG = "log"

_FILE = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)")
_OLD_FILE = re.compile(r"^--- (?:a/)?([^\t\n]+)")


@dataclass(frozen=True, slots=True)
class Hunk:
    """One changed place: the lines that went and the lines that came, secrets masked."""

    id: str
    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What the cause and the resolution may have been, each sentence with what carries it."""

    cause: tuple[Sentence, ...]
    resolution: tuple[Sentence, ...]
    withheld: tuple[Withheld, ...] = ()
    model: str | None = None
    note: str = ""

    @property
    def said(self) -> tuple[str, str]:
        """Give cause and resolution as texts, which a proposal takes."""
        return tuple(" ".join(one.text for one in part) for part in (self.cause, self.resolution))  # type: ignore[return-value]

    def to_json(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        cause, resolution = self.said
        return {
            "cause": cause,
            "resolution": resolution,
            "sentences": [
                {"section": name, **one.to_json(lines=False)}
                for name, part in (("cause", self.cause), ("resolution", self.resolution))
                for one in part
            ],
            "withheld": [one.to_json() for one in self.withheld],
            "model": self.model,
            "model_note": self.note or None,
        }


def draft(case: Case, diff: str, phraser: Phraser | None = None) -> Draft:
    """Draft from a unified diff. Raises: BadInput for a text that is none, or is too long."""
    hunks = hunks_of(diff)
    plain = Draft((), tuple(_told(hunks)))
    if phraser is None:
        return plain
    evidence = [*map(_carrier, hunks), _failing(case)]
    found = phraser.say(Task(TASK, rules(TASK), ("cause", "resolution"), most=3), evidence)
    held = [Withheld(text, why) for text, why in found.withheld]
    cause = _kept(found.sentences("cause"), hunks, held, done=False)
    resolution = _kept(found.sentences("resolution"), hunks, held, done=True)
    if not resolution:
        note = found.note or "Nothing that the model wrote of the change is carried by it."
        note = f"{note} The draft is a template's."
        return Draft((), plain.resolution, tuple(held), None, note)
    return Draft(cause, resolution, tuple(held), found.model, found.note)


def _kept(
    said: Sequence[Said], hunks: Sequence[Hunk], held: list[Withheld], *, done: bool
) -> tuple[Sentence, ...]:
    kept = []
    for one in said:
        reason = _misplaced(one, hunks, done)
        if reason:
            held.append(Withheld(one.text, reason))
        else:
            kept.append(Sentence(one.text, one.cites))
    return tuple(kept)


def _misplaced(said: Said, hunks: Sequence[Hunk], done: bool) -> str:
    """Say whether a sentence takes an old value for the new one, or does not cite the change."""
    cited = [hunk for hunk in hunks if hunk.id in said.cites]
    if done and not cited:
        return "it cites no changed place"
    old = ["\n".join(hunk.removed) for hunk in cited]
    new = ["\n".join((*hunk.added, *hunk.around, hunk.path)) for hunk in cited]
    for value in grounding.values(said.text):
        went = grounding.grounded(value, old) and not grounding.grounded(value, new)
        came = grounding.grounded(value, new) and not grounding.grounded(value, old)
        as_old = wording.is_old(said.text, value.first, value.last)
        if done and went and not as_old:
            return f"{value.text} is what the change removes"
        if came and as_old:
            return f"{value.text} is what the change brings"
        if not done and came:
            return f"{value.text} came with the change: it is no cause"
    return ""


# -- the change ---


def hunks_of(diff: str) -> tuple[Hunk, ...]:
    """Read a unified diff. Raises: BadInput for a text that is none, or is too long."""
    if len(diff) > LONGEST:
        raise BadInput(
            f"The change has {len(diff):,} characters, more than {LONGEST:,}.",
            hint="Give the part of it that mended the job: `git diff A..B -- PATH`.",
        )
    found = list(_hunks(secrets.redact(diff).text.split("\n")))
    if not found:
        raise BadInput(
            "The change holds no hunk of a unified diff (`@@ …`).",
            hint="`git diff A..B` prints one; `caselore draft INCIDENT --diff A..B` runs it.",
        )
    return tuple(replace(one, id=f"d{n}") for n, one in enumerate(found[:MOST_HUNKS], 1))


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    path = old = ""
    body: list[str] | None = None
    for line in (*lines, "@@"):
        starts = line.startswith(("@@", "diff --git ", "--- ")) and not (
            line.startswith("--- ") and body is not None and not _OLD_FILE.match(line)
        )
        if starts and body is not None:
            hunk = _hunk(path, body)
            if hunk.removed or hunk.added:
                yield hunk
            body = None
        if body is None:
            old_file, file = _OLD_FILE.match(line), _FILE.match(line)
            old = old_file.group(1) if old_file else old
            if file:
                path = old if file.group(1) == "/dev/null" else file.group(1)
            body = [] if line.startswith("@@") else None
        else:
            body.append(line)


def _hunk(path: str, body: Sequence[str]) -> Hunk:
    def of(sign: str) -> tuple[str, ...]:
        lines = (line[1:].strip() for line in body if line.startswith(sign))
        return tuple(line for line in lines if line and len(line) <= LINE and not _orders(line))

    return Hunk("", path[:LINE], of("-"), of("+"), of(" "))


def _orders(line: str) -> bool:
    return bool(injection.scan(line))


def _carrier(hunk: Hunk) -> Carrier:
    text = "\n".join((hunk.path, *hunk.removed, *hunk.added, *hunk.around))
    about = "set change replace add remove"  # the words in which any change can be told
    return Carrier(hunk.id, "", ((CHANGE, f"{about}\n{text}"),))


def _failing(case: Case) -> Carrier:
    body = case.record.body
    shown = (*(part.text for part in body.excerpt), body.block)
    lines = (line for text in shown for line in text.split("\n") if not _orders(line))
    return Carrier(LOG, "", (("failing lines", "\n".join(dict.fromkeys(lines))),))


def _told(hunks: Sequence[Hunk]) -> Iterator[Sentence]:
    for hunk in hunks[:SHOWN]:
        old, new = hunk.removed[:1], hunk.added[:1]
        if old and new:
            text = f"In {hunk.path}, `{new[0]}` replaced `{old[0]}`"
        elif new:
            text = f"In {hunk.path}, `{new[0]}` was added"
        else:
            text = f"In {hunk.path}, `{old[0]}` was removed"
        more = max(len(hunk.removed), len(hunk.added)) - 1
        yield Sentence(f"{text} (and {more} more lines)." if more else f"{text}.", (hunk.id,))
    if len(hunks) > SHOWN:
        yield Sentence(
            f"{len(hunks) - SHOWN} more places changed.", tuple(h.id for h in hunks[SHOWN:])
        )
