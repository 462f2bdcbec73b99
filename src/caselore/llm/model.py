"""What caselore asks of a language model, as a small Protocol, and the limits it asks within.

Must not import a provider's library: adapters do, lazily.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from caselore.errors import Unavailable

Schema = Mapping[str, Any]
"""A JSON schema of the answer."""


class NoModel(Unavailable):
    """No model is set up; everything works without one."""

    code = "no_model"
    hint = "Set CASELORE_MODEL to PROVIDER:NAME, or leave it: templates write the diagnosis."


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one call: seconds to wait, tokens to give, money to spend (US dollars)."""

    seconds: float = 60.0
    tokens: int = 4_000
    cost: float = 0.25


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and what it took: tokens both ways, US dollars, seconds."""

    value: Any
    model: str
    tokens: int
    cost: float
    seconds: float


class Model(Protocol):
    """Something that answers a prompt in the shape of a schema."""

    def ask(self, prompt: str, schema: Schema, budget: Budget) -> Answer:
        """Answer within the budget. Raises Unavailable where it cannot."""
