"""The default: no model.

Must not answer.
"""

from __future__ import annotations

from caselore.llm.model import Answer, Budget, NoModel, Schema


class Absent:
    """A model that is not there."""

    def ask(self, prompt: str, schema: Schema, budget: Budget) -> Answer:
        """Refuse. Raises NoModel."""
        raise NoModel
