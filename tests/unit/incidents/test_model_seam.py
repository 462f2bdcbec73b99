"""The model seam: absent by default, replayed by prompt hash, within a budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caselore.errors import BadInput, Unavailable
from caselore.llm.absent import Absent
from caselore.llm.model import Budget, Model, NoModel
from caselore.llm.recorded import Recorded, prompt_hash

SCHEMA = {"type": "object"}


def recording(folder: Path, prompt: str, **answer: object) -> Model:
    """Write a recording of one answer and load it."""
    path = folder / "answers.json"
    path.write_text(json.dumps({prompt_hash(prompt): answer}), encoding="utf-8")
    return Recorded.load(path)


def test_without_a_model_asking_is_refused() -> None:
    with pytest.raises(NoModel):
        Absent().ask("why?", SCHEMA, Budget())


def test_a_recorded_answer_is_given_for_the_same_prompt_only(tmp_path: Path) -> None:
    model = recording(
        tmp_path, "why?", value={"text": "so"}, model="m", tokens=12, cost=0.01, seconds=1.5
    )
    answer = model.ask("why?", SCHEMA, Budget())
    assert (answer.value, answer.model, answer.tokens) == ({"text": "so"}, "m", 12)
    with pytest.raises(Unavailable):
        model.ask("why not?", SCHEMA, Budget())


def test_an_answer_beyond_the_budget_is_refused(tmp_path: Path) -> None:
    model = recording(tmp_path, "why?", value={}, tokens=9_000)
    with pytest.raises(Unavailable):
        model.ask("why?", SCHEMA, Budget(tokens=4_000))


@pytest.mark.parametrize("content", ["[]", "{", "\x00"])
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "answers.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput):
        Recorded.load(path)
