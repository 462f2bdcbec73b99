"""What a page is found to say: candidates for events, denials and corrections, each with its place.

Must not hold anything that no sentence of a page says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from caselore.intel.entities import Entity
from caselore.intel.lexicon import words
from caselore.intel.modality import Mode
from caselore.memory.filing import words_of

DATE_RANK = {
    "sentence": 6,
    "effective": 6,
    "heading": 5,
    "dateline": 4,
    "page": 3,
    "feed": 3,
    "diff": 2,
    "fetched": 1,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that a page says a competitor did."""

    entity: Entity
    event_type: str
    quote: str
    first: int
    last: int
    title: str
    mode: Mode = Mode.ASSERTED
    date: str = ""
    date_from: str = ""
    amount: float | None = None
    currency: str = ""
    before: float | None = None
    change_percent: float | None = None
    unit: str = ""
    plan: str = ""
    count: int | None = None
    party: str = ""
    strength: int = 1
    """3 in a headline, 2 in the text with the competitor as its subject, 1 else."""
    tokens: frozenset[str] = frozenset()
    """The words that tell it from another event of its type."""
    names: frozenset[str] = frozenset()
    """Those of them that are written large: products, people, places."""
    lead: bool = False
    """Its page is mainly about it."""
    heading: str = ""
    item: bool = False
    """It stands in a list, where each line is a thing of its own."""

    def having(self, **changes: Any) -> Candidate:
        """Give it with some fields replaced."""
        return replace(self, **changes)


# as they stand, and as words are compared: "launches" is compared as "launche"
_DULL = words("candidates", "dull") | frozenset(words_of(" ".join(words("candidates", "dull"))))


_STARTERS = words("subjects", "starters")
_SUBJECT = re.compile(
    r"\W{0,2}([A-Z][\w.+-]*\w) (?:is|are|has|arrives|lets|brings|comes|can|now|lands|launches)\b"
)


def proper(text: str, entity: Entity) -> frozenset[str]:
    """Give the telling words that are written large within a sentence."""
    inner = re.findall(r"(?<=[\w,’'\"”)] )[A-Z][\w.+-]*\w", text)
    opening = _SUBJECT.match(text)  # `Autostart is here`: its first word is a name as well
    inner += [opening[1]] if opening and opening[1].lower() not in _STARTERS else []
    return frozenset(word for one in inner for word in telling(one, entity))


@lru_cache(maxsize=4_096)
def telling(text: str, entity: Entity) -> frozenset[str]:
    """Give the words of a text that tell one event from another of the same competitor."""
    own = _own_words(entity)
    return frozenset(
        word for word in words_of(text)
        if word not in _DULL and word not in own and len(word) > 1 and not re.fullmatch(r"[\d.,]+", word)
    )  # fmt: skip


@lru_cache(maxsize=256)
def _own_words(entity: Entity) -> frozenset[str]:
    return frozenset(word for name in entity.names for word in words_of(name))
