"""Makes a model's numbers readable: how much closer a text is to a question than unrelated ones.

Every model has a scale of its own, and most put all texts near one another. So each is asked for
the same pairs once; their mean is taken off, and what remains is told in standard deviations.
Must not know which model it is, nor look at any record.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from caselore.memory.arm_ports import Embedder, Vector


class Probes(NamedTuple):
    """Failures, and a question about each, in the same order."""

    records: tuple[str, ...]
    questions: tuple[str, ...]


@cache
def probes() -> Probes:
    """Read the pairs that every model is asked for."""
    read = tomllib.loads(files("caselore.memory").joinpath("probes.toml").read_text("utf-8"))
    return Probes(tuple(read["records"]), tuple(read["questions"]))


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What is taken off a model's vectors, and how its unrelated pairs spread."""

    record: tuple[float, ...]
    question: tuple[float, ...]
    mean: float
    spread: float

    @property
    def width(self) -> int:
        """Tell how many numbers a vector has."""
        return len(self.record)

    def deviations(self, cosine: float) -> float:
        """Tell how far above unrelated pairs a cosine is."""
        return (cosine - self.mean) / self.spread


def measured(embedder: Embedder) -> Yardstick:
    """Ask a model for the probes. Raises: Unavailable; ValueError for vectors of no use."""
    asked = probes()
    records, questions = embedder.records(asked.records), embedder.questions(asked.questions)
    if {len(one) for one in (*records, *questions)} != {len(records[0])} or not records[0]:
        raise ValueError("the model's vectors differ in length")
    record, question = _mean(records), _mean(questions)
    texts = [centred(one, record) for one in records]
    wanted = [centred(one, question) for one in questions]
    apart = [
        sum(a * b for a, b in zip(asks, text, strict=True))
        for at, asks in enumerate(wanted)
        for other, text in enumerate(texts)
        if other != at
    ]
    mean = math.fsum(apart) / len(apart)
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in apart) / len(apart))
    if not spread > 0:
        raise ValueError("the model gives every text the same vector")
    return Yardstick(record, question, mean, spread)


def centred(vector: Vector, mean: Sequence[float]) -> list[float]:
    """Take the mean off a vector and give it length one."""
    plain = [one - other for one, other in zip(vector, mean, strict=True)]
    length = math.sqrt(math.fsum(one * one for one in plain))
    return [one / length for one in plain] if length else plain


def _mean(vectors: Sequence[Vector]) -> tuple[float, ...]:
    return tuple(math.fsum(column) / len(vectors) for column in zip(*vectors, strict=True))
