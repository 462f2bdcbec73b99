"""A language model in a run: it points, weighs, supposes and phrases; nothing that it makes up gets in."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from caselore.errors import ModelUnavailable
from caselore.intel.advice import Adviser
from caselore.intel.entities import make
from caselore.intel.run import Asked, Runner
from caselore.intel.trust import Trust
from caselore.llm.grounded import GroundedModel
from caselore.llm.ports import Answer
from caselore.memory.records import Actor, Role
from caselore.settings import load
from caselore.wiring import build

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PAGES = (
    ("https://velora.example/news/1", "Velora launches Beacon", "1 May 2026", "Velora has launched Beacon, a viewer for logs."),
    ("https://news.example/2", "Velora buys Pinewood", "9 May 2026", "Velora acquired Pinewood for $28 million."),
    ("https://news.example/3", "Around the market", "20 May 2026",
     "Velora quietly took its billing console out of the trial stage. Otherwise it was calm. Rumour has it that Velora wants Oakline."),
)  # fmt: skip
MISSED = "Velora quietly took its billing console out of the trial stage."


class Model:
    """Answers each kind of question with what a test wants; counts what it was asked."""

    name = "scripted:adviser"

    def __init__(self, **answers):
        self.answers, self.asked = answers, []

    def ask(self, prompt, schema, budget):
        kind = prompt.name.split("+")[0].removeprefix("intel-").rpartition("-")[0]
        self.asked.append(kind)
        said = self.answers.get(kind)
        said = said(prompt) if callable(said) else said
        if said is None:
            raise ModelUnavailable("the double has nothing to say")
        return Answer(said, self.name, 10, 10, 0.0, 0.1)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "site").mkdir()
    rows = []
    for number, (url, title, day, text) in enumerate(PAGES):
        markup = (
            f"<html><body><main><h1>{title}</h1><p>{day}</p><p>{text}</p></main></body></html>"
        )
        (tmp_path / "site" / f"{number}.html").write_text(markup)
        rows.append({"url": url, "file": f"{number}.html", "fetched_at": "2026-05-30T08:00:00Z"})
    (tmp_path / "site" / "site.json").write_text(json.dumps({"pages": rows}))
    homes = iter(range(10))

    def _run(model):
        from caselore.intel.collect.folder import read_folder

        with build(load(tmp_path / f"home{next(homes)}", environment={})) as app:
            asked = Asked(
                topic="viewers", competitors=(make("Velora"),), now=NOW, as_of=None, run="run_a",
                sources=(("site", lambda: read_folder(tmp_path / "site", None)),), trust=Trust(),
                actor=Actor("ana", Role.HUMAN), adviser=Adviser(GroundedModel(model)) if model else None,
            )  # fmt: skip
            ran = Runner(app.memory, asked).go()
            document = {**ran.to_json(), **app.intel.brief()}
            document["events"] = ran.to_json()["events"]
            document["strategies"] = app.intel.strategy("Velora")
            document["predictions"] = app.intel.predictions("Velora")
            return document

    return _run


def pointing(quote, event_type="feature_launch"):
    row = {"competitor": "Velora", "event_type": event_type, "quote": quote}
    return lambda prompt: {"found": [row] if quote in prompt.evidence else []}


def test_a_sentence_that_the_rules_passed_over_is_read_where_a_model_points_at_it(run):
    plain, helped = run(None), run(Model(extract=pointing(MISSED)))

    assert len(helped["events"]) == len(plain["events"]) + 1
    new = next(one for one in helped["events"] if one["quote"] == MISSED)
    assert (new["event_type"], new["date"], new["tier"]) == (
        "feature_launch",
        "2026-05-20",
        "press",
    )
    assert all(one["verdict"] == "verified" for one in helped["claims"])


@pytest.mark.parametrize(
    "quote",
    [
        "Velora raised $900 million.",  # nowhere on the page
        "Rumour has it that Velora wants Oakline.",  # a rumour stays one
        "Otherwise it was calm.",  # names nobody
        "took its billing console out of the trial stage",  # no whole sentence
    ],
)
def test_what_a_page_does_not_report_is_no_event_whoever_points_at_it(run, quote):
    plain = [one["id"] for one in run(None)["events"]]
    row = {"competitor": "Velora", "event_type": "funding", "quote": quote}
    helped = run(Model(extract={"found": [row]}))

    assert len(helped["events"]) == len(plain)


@pytest.mark.parametrize("added", [0.7, 1.5])
def test_a_weight_is_kept_apart_from_the_floor(run, added):
    floors = {one["quote"]: one["impact_floor"] for one in run(None)["events"]}
    for one in run(Model(impact={"added": added}))["events"]:
        assert one["impact_floor"] == floors[one["quote"]]
        assert one["impact_score"] == pytest.approx(one["impact_floor"] + added)


@pytest.mark.parametrize(
    "said", [{"added": 9}, {"added": -1}, {"added": "much"}, {}, {"added": 1, "x": 2}]
)
def test_a_weight_out_of_bounds_is_none(run, said):
    for one in run(Model(impact=said))["events"]:
        assert one["impact_score"] == one["impact_floor"]


def ids(prompt, mark):
    import re

    return list(dict.fromkeys(re.findall(rf"{mark}_[0-9a-f]{{12,20}}(?:\.\d+)?", prompt.evidence)))


def test_a_supposition_stays_a_proposal_in_the_words_of_its_events(run):
    def supposing(prompt):
        rows = [{"text": "Velora has launched Beacon.", "cites": ids(prompt, "evt")[:2]}]
        rows += [{"text": "Velora will be worth $9 billion.", "cites": ids(prompt, "evt")[:2]}]
        rows += [
            {"text": "Velora acquired Pinewood for $82 million.", "cites": ids(prompt, "evt")[:2]}
        ]
        return {"sentences": rows}

    found = run(Model(strategy=supposing))
    told = json.dumps(found["strategies"])
    assert "$9 billion" not in told
    assert "82" not in told
    assert all(
        one["status"] == "proposed" for one in found["strategies"] if "model" in one["topic"]
    )
    assert any("stands in nothing" in why or why for _, why in found["withheld"])


def test_a_prediction_of_a_model_has_our_words_and_question_and_a_bounded_chance(run):
    rows = [{"event_type": "pricing_change", "probability": 1.0, "days": 60}]
    found = run(Model(prediction={"predictions": rows}))["predictions"]

    assert [(one["probability"], one["opens"], one["deadline"]) for one in found] == [
        (0.95, "2026-06-01", "2026-07-31")
    ]
    assert found[0]["resolver"]["event_type"] == "pricing_change"


def test_a_summary_says_only_what_its_claims_say(run):
    def summing(prompt):
        cites = ["run_a.1"]
        good = {"text": "Velora acquired Pinewood for $28 million.", "cites": cites}
        wrong = {"text": "Velora acquired Pinewood for $29 million.", "cites": cites}
        stray = {"text": "Velora acquired Pinewood for $28 million.", "cites": ["run_a.77"]}
        return {"sentences": [wrong, stray, good]}

    found = run(Model(summary=summing))
    assert [one["text"] for one in found["summary"]] == [
        "Velora acquired Pinewood for $28 million."
    ]


def test_a_model_that_is_down_changes_nothing(run):
    def known(document):
        return [
            (one["event_type"], one["quote"], one["impact_score"]) for one in document["events"]
        ]

    assert known(run(Model())) == known(run(None))


def test_an_embellishing_model_gets_no_value_into_anything(run):
    lie = "Velora has launched Beacon 7 in Tokyo for $4,711 with 1234 customers."

    def embellish(prompt):
        cites = ids(prompt, "evt") or ids(prompt, "run") or ["run_a.1", "run_a.2"]
        return {"sentences": [{"text": lie, "cites": cites[:4]}]}

    row = {"competitor": "Velora", "event_type": "feature_launch", "quote": lie}
    found = run(
        Model(
            extract={"found": [row]}, strategy=embellish, summary=embellish, impact={"added": 1.5}
        )
    )
    told = json.dumps(
        {name: found[name] for name in ("events", "claims", "strategies", "summary")}
    )
    for word in ("4,711", "4711", "Tokyo", "1234", "Beacon 7"):
        assert word not in told
