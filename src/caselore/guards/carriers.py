"""What a sentence may rest on: records, quotes, the failing lines of a log; whole or text by text.

Must not judge: it only says which texts belong to a carrier, and which facts a clause may use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from caselore.guards import prose

RESOLUTION, CAUSE = "resolution", ("cause", "why it failed")
CHANGE = "change"  # lines that go and come: who reads changes knows the sides of values


@dataclass(frozen=True, slots=True)
class Carrier:
    """A record, a quote, or the failing lines of a log."""

    id: str
    label: str
    """The name by which a sentence speaks of it, as `#1017`; empty for what has none."""
    parts: tuple[tuple[str, str], ...]
    """Its texts, each with the part's name; `resolution` and `cause` have a meaning here."""
    facts: str = ""
    """Names and figures about it, in no sentence: where it happened, what it is called."""
    result: str = ""
    """What a person confirmed: `succeeded`, `failed`, or nothing."""
    verdict: str = ""
    """Who confirmed it and when: only a clause that speaks of confirming may say so."""
    happened: str = ""
    """The day on which it happened: no day of a verdict, or of a fix."""
    lines: str = ""
    """Which lines of the log these are, as `line 12`."""

    @property
    def name(self) -> str:
        """Give the name for a reader."""
        return self.label or self.id

    @property
    def part(self) -> str:
        """Give the part of a carrier of one text."""
        return self.parts[0][0] if len(self.parts) == 1 else ""

    def units(self, of: Carrier | None = None) -> list[Carrier]:
        """Give its texts one by one, each a carrier, and one that has only the facts.

        `of` lends them its names, facts and result: a clause may speak of a log and a record.
        """
        base = of or self
        facts = base.facts if of is None else f"{base.facts}\n{self.facts}"
        bare = replace(base, parts=(), facts=facts)
        return [bare, *(replace(bare, parts=(part,)) for part in self.parts if part[1].strip())]

    def texts(self) -> tuple[str, ...]:
        """Give everything that is said of it."""
        told = (text for _, text in self.parts if text)
        return (*told, self.facts, self.verdict, self.happened, self.label, self.id)

    def about(self, clause: str) -> tuple[str, ...]:
        """Give what a clause may take its values from: its texts, and the facts that fit it."""
        told = prose.stems(clause)
        lower = {word.casefold() for word in prose.words(clause)}
        confirms = bool(told & prose.CONFIRMED)
        dated = not confirms and not lower & (prose.WORKED | {"since", "until"})
        return (
            *(text for _, text in self.parts),
            self.facts,
            self.verdict if confirms else "",
            self.happened if dated else "",
            self.label,
            self.id,
        )

    def confirming(self, clause: str) -> frozenset[str]:
        """Give the stems of who confirmed it, for a clause that speaks of that."""
        confirms = prose.stems(clause) & prose.CONFIRMED
        return stems_of((self.verdict,)) if confirms else frozenset()

    def words(self) -> frozenset[str]:
        """Give the stems of the words of its texts."""
        return stems_of(tuple(text for _, text in self.parts))


@lru_cache(maxsize=512)
def stems_of(texts: tuple[str, ...]) -> frozenset[str]:
    """Give the stems of the words of texts."""
    return frozenset().union(*map(prose.stems, texts)) if texts else frozenset()
