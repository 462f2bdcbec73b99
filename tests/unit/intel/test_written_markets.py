"""Whole markets of other industries, styles and forms of page, each with the key that was written before it was read."""

from __future__ import annotations

import pytest
import world_files

from caselore.settings import load
from caselore.wiring import build

WORLDS = sorted(one.name.removesuffix(".pages") for one in world_files.FOLDER.glob("*.pages"))


@pytest.fixture(scope="module", params=WORLDS)
def market(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    urls = world_files.unpack(request.param, folder / "site")
    answers = world_files.key(request.param)
    with build(load(folder / "home", environment={})) as app:
        desk = app.intel
        ran = desk.run(request.param, answers["competitors"], [str(folder / "site")]).to_json()
        for one in answers["predictions"]:
            desk.predict({name: value for name, value in one.items() if name != "outcome"})
        graded = {one["statement"]: one["outcome"] for one in desk.grade("2027-01-01")}
        pages = {one["snapshot"]: desk.snapshot(one["snapshot"])["text"] for one in ran["claims"]}
    return answers, urls, ran, graded, pages


def test_events_are_found_once_on_their_days_with_their_values(market):
    answers, urls, ran, _, _ = market
    got = world_files.score(answers, urls, ran["events"])

    assert got.recall >= 0.9, got.missed
    assert got.precision >= 0.95, got.wrong
    assert got.dedupe >= 0.95
    assert got.wrong_amount == []
    assert got.dated >= 0.95, got.wrong_date


def test_what_is_denied_planned_remembered_or_of_others_is_no_event(market):
    answers, urls, ran, _, _ = market
    assert world_files.score(answers, urls, ran["events"]).forbidden == []


def test_pages_that_address_machines_are_held_and_said_so(market):
    answers, urls, ran, _, _ = market
    held = {urls[one] for one in answers["held"]}

    assert {one["url"] for one in ran["quarantined"]} == held
    assert not held & {one["url"] for one in ran["claims"]}


def test_every_claim_cites_its_page_at_its_place(market):
    _, _, ran, _, pages = market
    assert ran["claims"]
    for one in ran["claims"]:
        assert pages[one["snapshot"]][one["first"] : one["last"]] == one["quote"]
        assert one["verdict"] == "verified"


def test_predictions_come_out_as_the_key_says(market):
    answers, _, _, graded, _ = market
    assert graded == {one["statement"]: one["outcome"] for one in answers["predictions"]}
