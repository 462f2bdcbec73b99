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
    answer = person.post(f"/incidents/{ids[2]}/summary", data={"csrf": csrf})
    told = short(answer.text)
    stands, withheld = told.split('<details class="withheld">')

    assert answer.status_code == 200
    assert "Let the model tell it" in page
    assert "Told by openai:teller, each sentence checked" in stands
    assert f"{FIX} worked for #2001." in stands
    assert "7331" not in stands
    assert INVENTED in withheld
    assert "1 sentence" in withheld


def test_who_may_only_look_is_offered_no_model(chained):
    served, ids, model = chained
    before = len(model.asked)
    with served.client() as nobody:
        page = nobody.get(f"/incidents/{ids[2]}").text
        refused = nobody.post(f"/incidents/{ids[2]}/summary", data={"csrf": "x"})

    assert "Let the model tell it" not in page
    assert refused.status_code in (401, 403)
    assert len(model.asked) == before
