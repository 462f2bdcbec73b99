"""The page of an incident tells its chain in short, and says whose words they are."""

from __future__ import annotations

import re

import pytest
from serving import TIMEOUT, running

from fakes.model_server import serving

FIX = "Ran the index build in 500 batches"
INVENTED = "The chain ended with 7331 batches."


def reply(body):
    """Tell chains, one sentence truly and one not; say nothing of diagnoses."""
    seen = "\n".join(one["content"] for one in body["messages"])
    if "summary" not in str(body.get("response_format", seen)):
        return {"evidence": [], "diagnosis": [], "fix": []}
    first = re.search(r'<data id="(inc_[0-9a-f]+)"', seen)[1]
    texts = (f"{FIX} worked for #2001.", INVENTED)
    return {"summary": [{"text": text, "cites": [first]} for text in texts]}


@pytest.fixture(scope="module")
def chained(tmp_path_factory):
    """Give a server with a model and a chain of three, and who was asked."""
    home = tmp_path_factory.mktemp("chain") / "home"
    more = {"CASELORE_MODEL": "openai:teller"}
    with serving(reply) as model, running(home, **more, CASELORE_MODEL_URL=model.url) as served:
        ids = []
        for number in (2001, 2002, 2003):
            facts = {"service": "pay", "deployment": str(number)}
            ids.append(served.submit(log=TIMEOUT, **facts)["incident"])
            told = {"cause": "the index was built at once", "resolution": FIX}
            served.confirm(ids[-1], **told, precedents=ids[-2:-1])
        yield served, ids, model


@pytest.fixture
def person(chained):
    """Give a person's browser, signed in."""
    served, _, _ = chained
    with served.client() as client:
        client.post("/sign-in", data={"token": served.tokens["human"]})
        yield client


def short(page):
    """Give the part of a page that tells the chain."""
    return page[page.index('<div id="short">') :].split("<svg")[0].split('<div class="scroll"')[0]


def test_a_page_tells_the_chain_from_templates_and_asks_nobody(chained, person):
    _, ids, model = chained
    before = len(model.asked)
    told = short(person.get(f"/incidents/{ids[2]}").text)

    assert "Written from templates." in told
    assert f"What was done for #2001: {FIX}; it worked." in told
    assert f'<a class="cite" href="/incidents/{ids[0]}">#2001</a>' in told
    assert len(model.asked) == before


def test_a_person_lets_the_model_tell_it_and_sees_what_was_withheld(chained, person):
    _, ids, _ = chained
    page = person.get(f"/incidents/{ids[2]}").text
    csrf = re.search(r'name="csrf" value="(\w+)"', page)[1]
    answer = person.post(
        f"/incidents/{ids[2]}/summary", data={"csrf": csrf}, follow_redirects=True
    )
    told = short(answer.text)
    stands, withheld = told.split('<details class="withheld">')

    assert answer.status_code == 200
    assert "Let the model tell it" in page
    assert "Told by openai:teller, each sentence checked" in stands
    assert f"{FIX} worked for #2001." in stands
    assert "7331" not in stands
    assert INVENTED in withheld
    assert "1 sentence" in withheld


def form(page):
    """Give the fields of the form that asks the model."""
    part = page[page.index('/summary"') :]
    return dict(re.findall(r'name="(csrf|form)" value="(\w+)"', part)[:2])


def test_neither_a_reload_nor_a_form_sent_again_is_paid_twice(chained, person):
    _, ids, model = chained
    address = f"/incidents/{ids[2]}"
    first = form(person.get(address).text)
    sent = person.post(f"{address}/summary", data=first)
    after = len(model.asked)
    there = sent.headers["location"].split("#")[0]
    repeat = person.post(f"{address}/summary", data=first, follow_redirects=True)
    again = [person.get(there).text, repeat.text]

    assert sent.status_code == 303
    assert [f"{FIX} worked for #2001." in short(page) for page in again] == [True, True]
    assert len(model.asked) == after
    assert "Written from templates." in short(person.get(address).text)
    assert form(again[0])["form"] != first["form"]
    person.post(f"{address}/summary", data=form(again[0]))
    assert len(model.asked) > after


def test_what_is_not_kept_is_told_from_templates_and_asks_nobody(chained, person):
    _, ids, model = chained
    before = len(model.asked)
    page = person.get(f"/incidents/{ids[2]}?told=neverasked").text

    assert "Load this page again in a moment." in page
    assert "Written from templates." in short(page)
    assert len(model.asked) == before


def test_what_a_model_told_one_caller_is_shown_to_no_other(chained, person):
    served, ids, _ = chained
    address = f"/incidents/{ids[2]}"
    sent = person.post(f"{address}/summary", data=form(person.get(address).text))
    with served.client() as nobody:
        page = nobody.get(sent.headers["location"]).text

    assert "Written from templates." in short(page)


def test_who_may_only_look_is_offered_no_model(chained):
    served, ids, model = chained
    before = len(model.asked)
    with served.client() as nobody:
        page = nobody.get(f"/incidents/{ids[2]}").text
        refused = nobody.post(f"/incidents/{ids[2]}/summary", data={"csrf": "x"})

    assert "Let the model tell it" not in page
    assert refused.status_code in (401, 403)
    assert len(model.asked) == before
