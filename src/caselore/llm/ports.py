"""What is asked of a model and what it answers, as frozen values and one Protocol.

Must not know any provider.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told: the rules first, then the fenced evidence."""

    name: str
    """Which prompt, with its version: `diagnosis-1`."""
    rules: str
    evidence: str

    def hash(self, schema: Schema) -> str:
        """Give the digest under which a call is kept; the texts themselves are not."""
        said = json.dumps([self.name, self.rules, self.evidence, schema], sort_keys=True)
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()

    @property
    def size(self) -> int:
        """Give the characters that a model has to read."""
        return len(self.rules) + len(self.evidence)


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent; each figure is positive and finite, there is no "unlimited"."""

    seconds: float
    tokens: int
    """Read and written together."""
    dollars: float

    def __post_init__(self) -> None:
        """Raise ValueError for a figure that is no limit."""
        for name in ("seconds", "tokens", "dollars"):
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise ValueError(f"a budget's {name} must be a finite number, not {value}")

    def less(self, spent: Budget) -> Budget:
        """Give what is left."""
        return Budget(
            max(0.0, self.seconds - spent.seconds),
            max(0, self.tokens - spent.tokens),
            max(0.0, self.dollars - spent.dollars),
        )

    def within(self, other: Budget) -> Budget:
        """Give the tighter of two, figure by figure."""
        return Budget(
            min(self.seconds, other.seconds),
            min(self.tokens, other.tokens),
            min(self.dollars, other.dollars),
        )

    def plus(self, other: Budget) -> Budget:
        """Give the sum of what was spent twice."""
        return Budget(
            self.seconds + other.seconds,
            self.tokens + other.tokens,
            self.dollars + other.dollars,
        )

    @property
    def gone(self) -> str:
        """Name the figure that is used up; empty where something is left of each."""
        return next((n for n in ("seconds", "tokens", "dollars") if getattr(self, n) <= 0), "")


NOTHING = Budget(0, 0, 0)
MOST = Budget(seconds=900, tokens=64_000, dollars=2.0)  # of one question, whatever the settings


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: a JSON object that nobody has checked, and what it cost."""

    value: dict[str, Any]
    model: str
    read: int
    """Tokens of the prompt, as the provider counts them."""
    written: int
    """Tokens of the answer."""
    dollars: float | None
    """None where nobody publishes a price."""
    seconds: float

    @property
    def spent(self) -> Budget:
        """Give the cost as a budget."""
        return Budget(max(0.0, self.seconds), self.read + self.written, self.dollars or 0.0)


class Model(Protocol):
    """Something that answers in JSON."""

    @property
    def name(self) -> str:
        """Give PROVIDER:NAME."""

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        """Answer within a budget.

        Raises: ModelBusy where it may be asked again later, ModelGarbled where what came is no
        JSON object, ModelUnavailable for everything else that kept it from answering.
        """
