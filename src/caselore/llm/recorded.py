"""Answers from a file of recorded answers, by the hash of the prompt: for tests and evaluation.

Must not answer a prompt that was not recorded.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from caselore.errors import BadInput, ModelUnavailable
from caselore.llm.ports import Answer, Budget, Model, Prompt, Schema


class RecordedModel:
    """Replays a file of JSON lines, each `{"hash": …, "answer": {…}}`."""

    def __init__(self, file: Path) -> None:
        """Read the file. Raises: BadInput for a line that is none; OSError."""
        self.name = f"recorded:{file}"
        self._answers = dict(_answers(file))

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        """Give the recorded answer. Raises: ModelUnavailable where there is none."""
        key = prompt.hash(schema)
        if key not in self._answers:
            raise ModelUnavailable(f"No answer is recorded for the prompt {key[:16]}….")
        return self._answers[key]


class Recorder:
    """A model whose answers are written down, to be replayed later."""

    def __init__(self, model: Model, file: Path) -> None:
        """Ask `model`, and append to `file`."""
        self._model, self._file = model, file
        self.name = model.name

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        """Ask, and write down what came."""
        answer = self._model.ask(prompt, schema, budget)
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"hash": prompt.hash(schema), "answer": asdict(answer)}) + "\n")
        return answer


def _answers(file: Path) -> list[tuple[str, Answer]]:
    found = []
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row: dict[str, Any] = json.loads(line)
                found.append((row["hash"], Answer(**row["answer"])))
            except (ValueError, KeyError, TypeError) as error:
                raise BadInput(f"{file}, line {number} is no recorded answer: {error}") from None
    return found
