"""Replays recorded answers by the hash of the prompt.

Must not answer a prompt that was not recorded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caselore.errors import BadInput, Unavailable
from caselore.llm.model import Answer, Budget, Schema


class Recorded:
    """A model that gives the answers of a recording: a JSON object of prompt hash → answer.

    An answer holds `value`, `model`, `tokens`, `cost` and `seconds`.
    """

    def __init__(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep the recorded answers."""
        self._answers = dict(answers)

    @classmethod
    def load(cls, path: Path) -> Recorded:
        """Read a recording. Raises BadInput where it is none."""
        try:
            answers = json.loads(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise BadInput(f"{path} is no recording: {error}") from error
        if not isinstance(answers, dict):
            raise BadInput(f"{path} is no recording: it holds no object")
        return cls(answers)

    def ask(self, prompt: str, schema: Schema, budget: Budget) -> Answer:
        """Give the recorded answer. Raises Unavailable where there is none within the budget."""
        found = self._answers.get(prompt_hash(prompt))
        if found is None:
            raise Unavailable(f"No answer is recorded for prompt {prompt_hash(prompt)[:12]}.")
        answer = Answer(
            value=found["value"],
            model=str(found.get("model", "recorded")),
            tokens=int(found.get("tokens", 0)),
            cost=float(found.get("cost", 0.0)),
            seconds=float(found.get("seconds", 0.0)),
        )
        if answer.tokens > budget.tokens or answer.cost > budget.cost:
            raise Unavailable("The recorded answer takes more than the budget of this call.")
        return answer


def prompt_hash(prompt: str) -> str:
    """Give the name under which a prompt's answer is recorded."""
    return hashlib.sha256(prompt.encode()).hexdigest()
