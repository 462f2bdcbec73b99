"""A model of meaning that is a table: words of one concept have one vector, others have their own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b

from caselore.errors import Unavailable

WIDTH = 96
CONCEPTS = {
    "storage": "disk space room storage volume drive full left",
    "identity": "login credentials denied unauthorized rights password rejected",
    "wait": "timeout lock blocked waits canceling statement migration schema",
    "absent": "missing variable configured required never",
}
WORDS = {word: name for name, words in CONCEPTS.items() for word in words.split()}
SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "by",
        "for",
        "in",
        "is",
        "it",
        "not",
        "of",
        "on",
        "or",
        "our",
        "the",
        "to",
        "was",
        "we",
        "with",
    ]
)


def direction(concept: str) -> list[float]:
    """Give a concept's vector: signs by its hash."""
    bits = int.from_bytes(blake2b(concept.encode(), digest_size=WIDTH // 8).digest())
    return [1.0 if bits >> at & 1 else -1.0 for at in range(WIDTH)]


def meaning(text: str) -> list[float]:
    """Add up the words of a text; a little is the same for all, as real models have it."""
    total = [2.0] * WIDTH
    for word in re.findall(r"[a-zA-Z]+", text.lower()):
        if word not in SMALL:
            weight = 4.0 if word in WORDS else 1.0
            towards = direction(WORDS.get(word, word))
            total = [one + weight * more for one, more in zip(total, towards, strict=True)]
    return total


@dataclass
class TableEmbedder:
    """The fake model: it remembers what it was asked, and breaks off on order."""

    model: str = "table 1"
    seen: list[str] = field(default_factory=list)
    breaks_after: int | None = None
    """Texts after which it does not answer any more."""

    def records(self, texts):
        return self._embedded(texts)

    def questions(self, texts):
        return self._embedded(texts)

    def _embedded(self, texts):
        if self.breaks_after is not None and len(self.seen) + len(texts) > self.breaks_after:
            raise Unavailable("The table does not answer.")
        self.seen += texts
        return [meaning(text) for text in texts]
