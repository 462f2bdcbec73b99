"""A model that answers what a test wants, and does not look at what it is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caselore.errors import CaseloreError
from caselore.llm.ports import Answer, Budget, Prompt, Schema


class ScriptedModel:
    """Gives one answer after the other, the last one for ever; an error is raised."""

    name = "scripted:double"

    def __init__(self, *answers: dict[str, Any] | CaseloreError, seconds: float = 0.5) -> None:
        self._answers = list(answers)
        self._seconds = seconds
        self.prompts: list[Prompt] = []

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        self.prompts.append(prompt)
        said = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(said, CaseloreError):
            raise said
        return Answer(said, self.name, 100, 20, 0.001, self._seconds)


def fix(text: str, *cites: str) -> dict[str, Any]:
    """Give an answer that recommends one fix."""
    return {"evidence": [], "diagnosis": [], "fix": [{"text": text, "cites": list(cites)}]}


def said(text: str, cites: Iterable[str] = (), lines: Iterable[int] = ()) -> dict[str, Any]:
    """Give an answer with one sentence of diagnosis."""
    row = {"text": text, "cites": list(cites), "lines": list(lines)}
    return {"evidence": [], "diagnosis": [row], "fix": []}
