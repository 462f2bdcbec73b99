"""Signing in by an identity provider: a real one on loopback that signs, and misbehaves on order."""

from __future__ import annotations

import re

import httpx
import pytest
from browser import Watched, launched
from serving import running

from fakes import identity_provider
from fakes.identity_provider import CLIENT, SECRET, WRONG

PEOPLE = """
[sign_in.people]
admin = ["group:platform"]
human = ["*@example.com", "group:sre"]
reader = ["*@partner.example"]
[sign_in.oidc]
issuer = "{issuer}"
client_id = "{client}"
"""


@pytest.fixture(scope="module")
def provider():
    with identity_provider.standing() as one:
        yield one


@pytest.fixture(scope="module")
def lore(tmp_path_factory, provider):
    """Give a server whose people an identity provider names, and who all must be named."""
    home = tmp_path_factory.mktemp("lore") / "home"
    home.mkdir()
    text = PEOPLE.format(issuer=provider.url, client=CLIENT)
    (home / "caselore.toml").write_text(f"[auth]\nrequired = true\n{text}")
    with running(home, CASELORE_OIDC_SECRET=SECRET) as served:
        yield served


@pytest.fixture
def asked(provider):
    """Give the provider as it should be, at the beginning of a test."""
    provider.wrong, provider.groups = "", []
    provider.person = {"sub": "u-1", "email": "ana@example.com", "email_verified": True}
    provider.asked.clear()
    return provider


@pytest.fixture(autouse=True)
def closed():
    """Close what a test opened."""
    yield
    while OPENED:
        OPENED.pop().close()


OPENED: list[httpx.Client] = []


def opened(lore, **more):
    """Give a browser of a test."""
    OPENED.append(httpx.Client(base_url=lore.url, timeout=30, **more))
    return OPENED[-1]


def signing(lore, then="/ledger"):
    """Give a browser that is back at our door, and the address with which it came."""
    browser = opened(lore)
    away = browser.get("/sign-in/provider", params={"next": then})
    assert away.status_code == 303, away.text
    there = browser.get(away.headers["location"])
    return browser, there.headers["location"]


def signed_in(lore):
    browser, address = signing(lore)
    back = browser.get(address)
    assert back.status_code == 303, back.text
    return browser


def said_of(page):
    return re.search(r'class="refused" role="alert"><b>(.*?)</b>', page.text, re.S)[1]


def test_a_person_signs_in_and_comes_back_to_where_they_were(lore, asked):
    browser, address = signing(lore, "/ledger?subject=x")
    back = browser.get(address)
    page = browser.get(back.headers["location"])

    assert back.headers["location"] == "/ledger?subject=x"
    assert (page.status_code, "ana@example.com" in page.text) == (200, True)
    (told,) = asked.asked
    assert told["code_challenge_method"] == "S256"
    assert told["response_type"] == "code"
    assert len(told["nonce"]) >= 20
    assert told["redirect_uri"] == f"{lore.url}/sign-in/back"
    assert "caselore_sign_in" not in browser.cookies


def test_a_person_whom_the_provider_named_confirms_from_a_page(lore, asked):
    incident = lore.submit(deployment="1")["incident"]
    browser = signed_in(lore)
    page = browser.get(f"/incidents/{incident}").text
    csrf = re.search(r'name="csrf" value="(\w+)"', page)[1]
    form = {"cause": "c", "resolution": "r", "result": "succeeded", "csrf": csrf}
    answer = browser.post(f"/incidents/{incident}/confirm", data=form)

    assert answer.status_code == 303
    assert lore.app.memory.get(incident).outcome.confirmed_by == "ana@example.com"


@pytest.mark.parametrize("wrong", WRONG)
def test_what_the_provider_does_not_prove_opens_no_session(lore, asked, wrong):
    asked.wrong = wrong
    browser, address = signing(lore)
    back = browser.get(address)

    assert back.status_code in (401, 403), wrong
    assert said_of(back)
    assert "caselore_session" not in browser.cookies
    assert browser.get("/api/v1/incidents").status_code == 401


def test_a_code_is_taken_once_and_only_from_the_browser_that_began(lore, asked):
    first, address = signing(lore)
    kept = dict(first.cookies)
    assert first.get(address).status_code == 303
    again = first.get(address)  # the cookie of the sign-in is gone
    replayed = httpx.get(lore.url + address.removeprefix(lore.url), cookies=kept, timeout=30)
    _, other = signing(lore)
    stolen = opened(lore).get(other)
    mixed, _ = signing(lore)
    swapped = mixed.get(other)

    assert [one.status_code for one in (again, replayed, stolen, swapped)] == [401] * 4
    assert "took it before" in said_of(replayed)
    assert not any("caselore_session" in one.cookies for one in (again, replayed, stolen, swapped))


def test_a_refusal_of_the_provider_is_told_and_another_providers_answer_is_none(lore, asked):
    browser, address = signing(lore)
    state = re.search("state=([^&]+)", address)[1]
    elsewhere = browser.get(f"{address}&iss=https://elsewhere.example")
    other, address = signing(lore)
    state = re.search("state=([^&]+)", address)[1]
    denied = other.get(f"/sign-in/back?error=access_denied&state={state}")

    assert "access_denied" in said_of(denied)
    assert "Another identity provider" in said_of(elsewhere)


def test_groups_and_names_say_who_is_what_and_strangers_stay_out(lore, asked):
    def role():
        browser = signed_in(lore)
        page = browser.get("/tokens", headers={"Accept": "text/html"})
        home = browser.get("/").text
        csrf = re.search(r'name="csrf" value="(\w+)"', home)[1]
        write = browser.post("/incidents/none/propose", data={"cause": "c", "csrf": csrf})
        return page.status_code, write.status_code

    assert role() == (403, 404)  # a person
    asked.groups = ["platform"]
    assert role() == (200, 404)  # an admin
    asked.groups = []
    asked.person["email"] = "bo@partner.example"
    assert role() == (403, 403)  # a reader
    asked.person["email"] = "eve@elsewhere.example"
    browser, address = signing(lore)
    back = browser.get(address)
    assert back.status_code == 403
    assert "not among the people" in said_of(back)
    asked.groups = ["sre"]
    assert signed_in(lore)


def test_whoever_is_taken_off_the_list_is_out_at_once(tmp_path, asked):
    home = tmp_path / "home"
    home.mkdir()
    text = PEOPLE.format(issuer=asked.url, client=CLIENT)
    (home / "caselore.toml").write_text(f"[auth]\nrequired = true\n{text}")
    with running(home, CASELORE_OIDC_SECRET=SECRET) as served:
        cookies = dict(signed_in(served).cookies)
    (home / "caselore.toml").write_text(
        f"[auth]\nrequired = true\n{text.replace('*@example.com', 'bo@example.com')}"
    )
    with running(home, CASELORE_OIDC_SECRET=SECRET) as served:
        answer = httpx.get(f"{served.url}/api/v1/incidents", cookies=cookies, timeout=30)

    assert answer.status_code == 401


def test_a_session_is_no_sign_in_and_a_sign_in_no_session(lore, asked):
    browser, address = signing(lore)
    flow = browser.cookies["caselore_sign_in"]
    as_session = httpx.get(
        f"{lore.url}/api/v1/incidents", cookies={"caselore_session": flow}, timeout=30
    )
    session = signed_in(lore).cookies["caselore_session"]
    as_flow = httpx.get(address, cookies={"caselore_sign_in": session}, timeout=30)

    assert (as_session.status_code, as_flow.status_code) == (401, 401)


def test_a_provider_that_speaks_for_another_or_not_at_all_is_told_so(tmp_path, asked):
    def page(issuer):
        home = tmp_path / issuer.replace("/", "_")
        home.mkdir()
        text = PEOPLE.format(issuer=issuer, client=CLIENT)
        (home / "caselore.toml").write_text(text)
        with running(home, CASELORE_OIDC_SECRET=SECRET) as served, served.client() as client:
            return client.get("/sign-in/provider")

    slash = page(f"{asked.url}/")
    silent = page("http://127.0.0.1:9")

    assert slash.status_code == silent.status_code == 503
    assert "another issuer" in said_of(slash)
    assert "does not answer" in said_of(silent)


def test_a_browser_goes_to_the_provider_and_comes_back_in(lore, asked):
    with launched() as browser:
        context = browser.new_context(java_script_enabled=False)
        view = Watched(context.new_page(), lore.url)
        page = view.open("/quarantine")
        page.click("text=Sign in with 127.0.0.1")
        page.wait_for_url("**/quarantine")

        assert "ana@example.com" in page.inner_text("header")
