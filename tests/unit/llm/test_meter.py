"""A model is asked within its limits, again where that helps, and every call is accounted for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.errors import (
    BadInput,
    ModelBusy,
    ModelGarbled,
    ModelLimit,
    ModelUnavailable,
    WrongUse,
)
from caselore.llm.meter import DEFAULTS, TRIES, Limits, Meter
from caselore.llm.parsing import object_in
from caselore.llm.ports import NOTHING, Budget, Prompt
from caselore.llm.recorded import RecordedModel, Recorder
from caselore.wiring.models import limits_of
from fakes.scripted_model import ScriptedModel

PROMPT = Prompt("diagnosis-1", "rules", "evidence")
SCHEMA = {"type": "object"}
PLENTY = Budget(60, 16_000, 1)


class Clock:
    """Seconds that only waiting moves."""

    def __init__(self) -> None:
        self.at = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds


class Book:
    """An account in memory: what is spent today, what is open, and what was noted."""

    def __init__(self, today=NOTHING):
        self.today, self.opened, self.kept = today, {}, []

    def open(self, decide):
        number = len(self.opened) + 1
        self.opened[number] = decide(self.today)
        return number

    def close(self, opened, call):
        self.opened[opened] = None
        self.kept.append(call)


def metered(model, limits=DEFAULTS, today=NOTHING):
    clock, book = Clock(), Book(today)
    return Meter(model, limits, book, clock, clock.wait), book.kept, clock


def test_an_answer_is_accounted_for_by_the_hash_of_its_prompt_alone():
    meter, kept, _ = metered(ScriptedModel({"a": 1}))

    answer = meter.ask(PROMPT, SCHEMA, PLENTY)

    assert answer.value == {"a": 1}
    assert [(one.result, one.read, one.written) for one in kept] == [("answered", 100, 20)]
    assert kept[0].hash == PROMPT.hash(SCHEMA)
    assert "evidence" not in repr(kept)
    assert "rules" not in repr(kept)


def test_a_call_is_noted_at_its_most_before_it_is_made():
    class Dying:
        name = "scripted:dying"

        def ask(self, *_):
            raise KeyboardInterrupt

    clock, book = Clock(), Book()
    meter = Meter(Dying(), DEFAULTS, book, clock, clock.wait)
    with pytest.raises(KeyboardInterrupt):
        meter.ask(PROMPT, SCHEMA, PLENTY)

    (call,) = book.opened.values()
    assert (call.result, call.read + call.written, call.seconds) == ("unfinished", 16_000, 60)
    assert call.dollars == DEFAULTS.call.dollars
    assert book.kept == []


def test_progress_tells_how_far_it_is_and_nothing_of_what_was_asked():
    clock, book, told = Clock(), Book(), []
    model = ScriptedModel(ModelBusy(after=3.0), {"a": "an answer"})
    Meter(model, DEFAULTS, book, clock, clock.wait, told.append).ask(PROMPT, SCHEMA, PLENTY)

    assert [line.split()[0] for line in told] == ["asking"] + [model.name] * 2 + [
        "asking",
        model.name,
    ]
    assert "try 2 of 3" in told[3]
    for text in ("rules", "evidence", "an answer"):
        assert text not in " ".join(told)


def test_a_busy_model_is_asked_again_when_it_wants_to_be():
    meter, kept, clock = metered(ScriptedModel(ModelBusy(after=3.0), ModelBusy(), {"a": 1}))

    assert meter.ask(PROMPT, SCHEMA, PLENTY).value == {"a": 1}
    assert clock.waits == [3.0, 2.0]
    assert [one.result for one in kept] == ["model_busy", "model_busy", "answered"]


def test_a_model_that_stays_busy_is_left_alone():
    meter, kept, _ = metered(ScriptedModel(ModelBusy()))

    with pytest.raises(ModelBusy):
        meter.ask(PROMPT, SCHEMA, PLENTY)
    assert len(kept) == TRIES


def test_nobody_waits_longer_than_what_is_left():
    meter, _, clock = metered(ScriptedModel(ModelBusy(after=3600)))

    with pytest.raises(ModelBusy):
        meter.ask(PROMPT, SCHEMA, replace(PLENTY, seconds=5))
    assert clock.waits == []


@pytest.mark.parametrize("error", [ModelGarbled(), ModelUnavailable()])
def test_what_does_not_get_better_is_not_asked_again(error):
    meter, kept, _ = metered(ScriptedModel(error))

    with pytest.raises(type(error)):
        meter.ask(PROMPT, SCHEMA, PLENTY)
    assert len(kept) == 1


@pytest.mark.parametrize(
    ("limits", "today", "whose"),
    [
        (replace(DEFAULTS, day=Budget(7200, 1_000, 10)), Budget(1, 1_000, 0), "today"),
        (replace(DEFAULTS, day=Budget(7200, 1_000_000, 1)), Budget(1, 10, 1.0), "today"),
        (replace(DEFAULTS, call=Budget(0, 1_000, 1)), NOTHING, "this call"),
        (replace(DEFAULTS, subject=Budget(10, 0, 1)), NOTHING, "this incident"),
    ],
)
def test_what_is_used_up_is_said_before_anything_is_paid(limits, today, whose):
    model = ScriptedModel({"a": 1})
    meter, kept, _ = metered(model, limits, today)

    with pytest.raises(ModelLimit, match=whose):
        meter.ask(PROMPT, SCHEMA, PLENTY)
    assert (model.prompts, kept) == ([], [])


def test_a_prompt_that_is_too_long_is_not_sent():
    model = ScriptedModel({"a": 1})
    meter, _, _ = metered(model)

    with pytest.raises(ModelLimit, match="needs about"):
        meter.ask(replace(PROMPT, evidence="x" * 90_000), SCHEMA, PLENTY)
    assert model.prompts == []


@given(st.integers(1, 60), st.integers(400, 3_000))
def test_law_however_often_it_is_asked_an_incident_never_spends_more_than_one_call_over_its_limit(
    seconds, tokens
):
    limits = Limits(PLENTY, Budget(seconds, tokens, 0.01), DEFAULTS.day)
    meter, kept, _ = metered(ScriptedModel({"a": 1}), limits)
    for _ in range(40):
        try:
            meter.ask(PROMPT, SCHEMA, PLENTY)
        except ModelLimit:
            break
    assert meter.spent.tokens <= tokens + 120
    assert meter.spent.seconds <= seconds + 0.5
    assert len(kept) < 40


@pytest.mark.parametrize("value", [-1, float("inf"), float("nan")])
def test_there_is_no_unlimited(value):
    with pytest.raises(ValueError, match="finite"):
        Budget(value, 1, 1)


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', '```json\n{"a": 1}\n```', '<think>hm, {"b": 2}</think>\n{"a": 1}', ' {"a": 1} '],
)
def test_one_object_is_found_in_the_wrappings_that_models_use(text):
    assert object_in(text) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    ["", "I think so", "[1]", '{"a": 1', '{"a": 1} {"b": 2}', '"a"', "[" * 100_000, "x" * 300_000],
)
def test_anything_else_is_garbled(text):
    with pytest.raises(ModelGarbled):
        object_in(text)


def test_what_was_recorded_is_replayed_and_nothing_else(tmp_path):
    file = tmp_path / "answers.jsonl"
    asked = Recorder(ScriptedModel({"a": 1}), file).ask(PROMPT, SCHEMA, PLENTY)

    replayed = RecordedModel(file)

    assert replayed.ask(PROMPT, SCHEMA, PLENTY) == asked
    with pytest.raises(ModelUnavailable, match="recorded"):
        replayed.ask(replace(PROMPT, evidence="other"), SCHEMA, PLENTY)


def test_a_broken_recording_names_its_line(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"hash": "x"}\n')

    with pytest.raises(BadInput, match="line 1"):
        RecordedModel(file)


@pytest.mark.parametrize("span", ["call", "incident", "day"])
@pytest.mark.parametrize("figure", ["seconds", "tokens", "dollars"])
@pytest.mark.parametrize("value", [-1, float("inf"), float("nan"), True, None, "unlimited", "9"])
def test_no_setting_switches_a_limit_off(span, figure, value):
    with pytest.raises(BadInput):
        limits_of({span: {figure: value}})


@pytest.mark.parametrize("given", [{"week": {}}, {"call": {"minutes": 1}}, {"call": 5}])
def test_a_limit_that_is_none_is_wrong_use(given):
    with pytest.raises(WrongUse):
        limits_of(given)


@pytest.mark.parametrize("span", ["call", "incident", "day"])
@pytest.mark.parametrize("figure", ["seconds", "tokens", "dollars"])
def test_each_limit_of_the_settings_ends_the_asking(span, figure):
    """Whatever is set to nothing, nothing is asked."""
    model = ScriptedModel({"a": 1})
    meter, kept, _ = metered(model, limits_of({span: {figure: 0}}))

    with pytest.raises(ModelLimit):
        meter.ask(PROMPT, SCHEMA, PLENTY)
    assert (model.prompts, kept) == ([], [])
