"""Every page in a real browser: what it shows and does, with JavaScript and without."""

from __future__ import annotations

import re
from types import SimpleNamespace

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Watched, launched, sign_in
from enumerated import pages
from playwright.sync_api import expect
from serving import PYTEST, running
from world import FIX, HOSTILE_LOG, build

from caselore.faces.dashboard.page import MOST, Fresh
from fakes.failures import CI, failure, signed

SIZES = ((1280, 900), (390, 844))
PAGES = {
    "inbox": "/",
    "filtered": "/?service=payments&novelty=known",
    "nothing": "/?service=none",
    "incident": "/incidents/{i1057}",
    "unresolved": "/incidents/{i1059}",
    "proposed": "/incidents/{i1058}",
    "held": "/incidents/{i1060}",
    "hostile": "/incidents/{i1061}",
    "hostile-log": "/incidents/{i1061}/log",
    "hostile-refuted": "/incidents/{i1062}",
    "signature": "/signatures/{signature}",
    "hostile-signature": "/signatures/{hostile}",
    "precedents": "/precedents",
    "search": "/precedents?q=statement+timeout",
    "changes": "/changes",
    "change": "/changes/{change}",
    "intel": "/intel",
    "competitor": "/intel/Velora",
    "quote": "/why/{event}",
    "stored-page": "/why/{page}?first=3&last=9",
    "ledger": "/ledger?verify=1",
    "quarantine": "/quarantine",
    "numbers": "/numbers",
    "tokens": "/tokens",
    "settings": "/settings",
    "sign-in": "/sign-in",
    "missing": "/incidents/none",
}


def placed(path, ids):
    """Put ids into a path."""
    return path.format(**{name if name.isalpha() else f"i{name}": id for name, id in ids.items()})


MOST_BYTES, MOST_REQUESTS = 60_000, 8
REDIRECTS = {"/sign-in/provider", "/sign-in/back"}


def test_every_page_that_there_is_is_looked_at(world):
    served, ids = world
    shown = [placed(path, ids).partition("?")[0] for path in PAGES.values()]
    for template in pages(served.app) - REDIRECTS:
        fits = re.compile(re.sub(r"\{\w+:path\}", ".+", re.sub(r"\{\w+\}", "[^/]+", template)))
        assert any(fits.fullmatch(path) for path in shown), template


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Give a served memory that tests look at and do not change."""
    with running(tmp_path_factory.mktemp("world") / "home") as served:
        yield served, build(served)


@pytest.fixture
def small(tmp_path):
    """Give a served memory that a test may change."""
    with running(tmp_path / "home") as served:
        yield served, build(served)


def watched(browser, base, *, size=SIZES[0], theme="light", script=True, token=""):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=theme,
        java_script_enabled=script,
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    if token:
        sign_in(page, base, token)
    return Watched(page, base)


FORMS_OF_A_PAGE = [(SIZES[0], "light", True), (SIZES[1], "dark", True), (SIZES[1], "light", False)]


@pytest.mark.parametrize(("size", "theme", "judged"), FORMS_OF_A_PAGE)
def test_every_page_is_sound_in_every_form(browser, world, size, theme, judged):
    served, ids = world
    view = watched(browser, served.url, size=size, theme=theme, token=served.tokens["admin"])
    axe = Axe()
    for name, path in PAGES.items():
        page = view.open(placed(path, ids))
        page.wait_for_load_state("load")
        assert view.elsewhere() == [], name
        # what is asked for again and again by the stream of news is no part of the page
        asked = [one for one in view.requests if "/api/v1/events" not in one]
        assert len(asked) <= MOST_REQUESTS, (name, asked)
        assert len(page.content().encode()) <= MOST_BYTES, name
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, (name, wide)
        found = axe.run(page).response["violations"] if judged else []
        serious = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
        assert serious == [], (name, serious, found)
        assert view.wrong == [], name
    view.page.context.close()


def test_hostile_text_is_shown_as_text_on_every_page(browser, world):
    served, ids = world
    view = watched(browser, served.url, token=served.tokens["admin"])
    said = []
    view.page.on("dialog", lambda one: (said.append(one.message), one.dismiss()))
    for name, path in PAGES.items():
        page = view.open(placed(path, ids))
        expect(page.locator("main script, main img, main svg[onload], main b b")).to_have_count(0)
        assert page.evaluate("document.querySelectorAll('[onerror],[onload]').length") == 0
        for link in page.locator("a").all():
            assert re.match(r"(/|#|https?:)", link.get_attribute("href")), name
    page = view.open(f"/incidents/{ids['1061']}")
    assert "<script>alert(1)</script>" in page.inner_text("main")
    assert "\u202e" not in page.content()
    assert "6887" not in page.inner_text(".verdict")
    assert said == []
    assert view.elsewhere() == []


def test_an_incident_shows_what_it_rests_on_and_lights_what_is_cited(browser, world):
    served, ids = world
    view = watched(browser, served.url)
    page = view.open(f"/incidents/{ids['1057']}")

    assert page.inner_text(".document p.fix").startswith(FIX)
    card = page.locator(f"#p-{ids['1017']}")
    assert "the same failure" in card.inner_text()
    assert "worked" in card.inner_text()
    assert "did not work" in page.inner_text("aside")
    assert "it timed out twice" in page.inner_text("aside")
    assert "worked 1 of 1" in page.inner_text(".fixes")
    page.locator(".document p.fix .cite").hover()
    expect(card).to_have_class(re.compile("lit"))
    page.mouse.move(0, 0)
    expect(card).not_to_have_class(re.compile("lit"))
    page.locator(".document p.fix").hover(position={"x": 4, "y": 4})  # the sentence itself
    expect(card).to_have_class(re.compile("lit"))
    expect(page.locator(f'blockquote[data-of="{ids["1017"]}"]').first).to_have_class(
        re.compile("lit")
    )
    card.locator("summary").first.click()
    assert "same service" in card.inner_text()
    failing = page.locator(".log li.fails")
    assert "statement timeout" in failing.inner_text()
    assert failing.get_attribute("id").startswith("L")
    expect(page.locator(".say")).to_have_count(0)  # nobody is signed in
    view.open(f"/incidents/{ids['1031']}")
    expect(page.locator("svg.chain rect")).to_have_count(2)
    expect(page.locator("ol.chain li")).to_have_count(2)


def test_the_inbox_groups_by_cause_and_filters_by_address(browser, world):
    served, ids = world
    view = watched(browser, served.url)
    page = view.open("/")

    waiting = page.locator("section", has_text="Waiting for a person").first
    assert "proposed" in waiting.inner_text()
    assert "quarantined" in waiting.inner_text()
    row = page.locator("tr", has=page.locator(f'a[href="/incidents/{ids["1057"]}"]'))
    assert "×3" in row.inner_text()
    assert "fix known" in row.inner_text()
    page.click("aside a:text-is('orders')")
    page.wait_for_url("**/?service=orders")
    expect(page.locator("main tbody tr")).to_have_count(1)
    page.click(".chosen")
    page.wait_for_url(f"{served.url}/")


def test_every_filter_of_the_inbox_says_how_many_it_leaves(browser, world):
    served, _ = world
    with served.client() as client:
        told, every, orders = (
            client.get(f"/index.json{query}").json()
            for query in ("", "?limit=200", "?service=orders")
        )
    page = watched(browser, served.url).open("/")

    assert list(told["facets"]) == ["novelty", "status", "service", "environment", "family"]
    novelty = {one["value"]: one["times"] for one in told["facets"]["novelty"]}
    assert sum(novelty.values()) == told["total"]
    counted = dict.fromkeys(novelty, 0)
    for one in every["causes"]:
        counted[one["novelty"]] += one["times"]
    assert novelty == counted
    assert min(novelty["new"], novelty["known"]) > 0
    known = page.locator("aside li", has_text="fix known")
    assert known.inner_text().split() == ["fix", "known", str(novelty["known"])]
    sums = {sum(one["times"] for one in orders["facets"][name]) for name in ("novelty", "status")}
    assert len(sums) == 1


def test_what_is_kept_of_counts_is_bounded(world):
    served, _ = world
    visitor = SimpleNamespace(app=served.app)
    fresh = Fresh()

    for number in range(3 * MOST):
        assert fresh.get(f"service {number}", visitor, lambda n=number: n, 60) == number
    asked = []
    fresh.get("service 0", visitor, lambda: asked.append("again"), 60)
    fresh.get(f"service {3 * MOST - 1}", visitor, lambda: asked.append("never"), 60)
    assert asked == ["again"]


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_person_confirms_refutes_tells_apart_and_releases(browser, small, script):
    served, ids = small
    view = watched(browser, served.url, script=script, token=served.tokens["human"])
    page = view.open(f"/incidents/{ids['1059']}")
    page.click("#confirm summary")
    page.fill("#confirm [name=cause]", "the view was dropped")
    page.fill("#confirm [name=resolution]", "create it again")
    page.check("#confirm [value=succeeded]")
    page.click("#confirm button")
    page.wait_for_url("**/incidents/*said=confirm")
    assert "create it again" in page.inner_text(".verdict")
    outcome = served.app.memory.get(ids["1059"]).outcome
    assert (outcome.resolution, outcome.confirmed_by) == ("create it again", "human-one")

    page.click("#refute summary")
    page.fill("#refute [name=why]", "it was the cache")
    page.click("#refute button")
    page.wait_for_url("**said=refute")
    assert served.app.memory.get(ids["1059"]).status.value == "refuted"

    view.open(f"/incidents/{ids['1057']}")
    card = page.locator(f"#p-{ids['1017']}")
    card.locator(".say summary").click()
    card.locator("[name=why]").fill("another table")
    card.locator(".say button").click()
    page.wait_for_url("**said=unlike")
    expect(page.locator(f"#p-{ids['1017']}")).to_have_count(0)

    view.open("/quarantine")
    page.fill("[name=why]", "a test")
    page.click("button:text-is('Release')")
    page.wait_for_url("**said=release")
    assert served.app.memory.get(ids["1060"]).status.value == "observed"
    page.click("text=Sign out")
    expect(page.locator("text=Sign in")).to_have_count(1)
    assert view.wrong == []


def test_a_person_joins_signatures_and_parts_them_again(browser, small):
    served, ids = small
    other = served.app.memory.get(ids["1059"]).record.body.signature.id
    view = watched(browser, served.url, script=False, token=served.tokens["human"])
    page = view.open(f"/signatures/{ids['signature']}")
    page.click("summary:text('Another signature is the same')")
    page.fill("[name=into]", "none")
    page.fill("[action$=merge] [name=why]", "one table")
    page.click("text=Let them count as one")
    assert page.input_value("[name=into]") == "none"
    page.fill("[name=into]", "1059")
    page.fill("[action$=merge] [name=why]", "one table")
    page.click("text=Let them count as one")
    page.wait_for_url("**said=merge")
    assert set(served.app.memory.grouped(ids["signature"]).signatures) == {ids["signature"], other}
    assert "counts as one with" in page.inner_text(".head")
    page.click("summary:text('of its own')")
    page.fill("[action$=split] [name=why]", "two after all")
    page.click("text=Part them")
    page.wait_for_url("**said=split")
    assert served.app.memory.grouped(ids["signature"]).signatures == (ids["signature"],)


def test_what_the_gate_refuses_comes_back_with_the_reason_and_what_was_typed(browser, small):
    served, ids = small
    view = watched(browser, served.url, token=served.tokens["human"])
    page = view.open(f"/incidents/{ids['1060']}")
    page.click("#confirm summary")
    page.fill("#confirm [name=cause]", "typed before")
    page.fill("#confirm [name=resolution]", "r")
    page.check("#confirm [value=failed]")
    page.click("#confirm button")
    page.wait_for_selector("#confirm .refused")

    assert "quarantine" in page.inner_text("#confirm .refused")
    assert page.input_value("#confirm [name=cause]") == "typed before"
    assert served.app.memory.get(ids["1060"]).outcome is None


def test_an_agents_session_may_only_propose(browser, small):
    served, ids = small
    view = watched(browser, served.url, token=served.tokens["agent"])
    page = view.open(f"/incidents/{ids['1059']}")
    expect(page.locator("#confirm, #refute, .say")).to_have_count(0)
    page.click("#propose summary")
    page.fill("#propose [name=cause]", "a guess")
    page.fill("#propose [name=resolution]", "try again")
    page.click("#propose button")
    page.wait_for_url("**said=propose")

    assert "not confirmed" in page.inner_text(".verdict")
    assert served.app.memory.get(ids["1059"]).status.value == "proposed"


def test_the_keyboard_reaches_everything(browser, world):
    served, ids = world
    view = watched(browser, served.url, token=served.tokens["human"])
    page = view.open("/")
    for key in ("j", "j", "k", "j"):
        page.keyboard.press(key)
    expect(page.locator(".at-hand")).to_have_count(1)
    href = page.locator(".at-hand a").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{href}")
    view.open(f"/incidents/{ids['1057']}")
    page.keyboard.press("n")
    page.wait_for_url(re.compile("#L"))
    page.keyboard.press("c")
    assert page.evaluate("document.activeElement.name") == "cause"
    page.keyboard.type("jk?/")
    assert page.input_value("#confirm [name=cause]") == "jk?/"
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    assert page.evaluate("document.activeElement.closest('details').id") == "refute"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator(".keys dl").is_visible()
    page.keyboard.press("/")
    page.keyboard.type("statement timeout")
    page.keyboard.press("Enter")
    page.wait_for_url("**/precedents?q=statement+timeout")
    assert FIX in page.inner_text("main")
    page.keyboard.press("u")
    page.wait_for_url(f"{served.url}/")
    assert view.wrong == []


def test_news_are_told_and_the_page_does_not_move_by_itself(browser, small):
    served, _ = small
    view = watched(browser, served.url)
    page = view.open("/")
    before = page.locator("main tbody tr").count()
    page.wait_for_timeout(300)
    served.submit(deployment="2000", log=PYTEST.replace("cents", "news"))
    page.wait_for_selector(".news a")

    assert page.inner_text(".news").startswith("1 new")
    expect(page.locator("main tbody tr")).to_have_count(before)
    page.click(".news a")
    page.wait_for_function(f"document.querySelectorAll('main tbody tr').length > {before}")


def test_the_cookie_of_a_session_is_out_of_a_scripts_reach_and_ends(browser, small):
    served, _ = small
    view = watched(browser, served.url, token=served.tokens["human"])
    (cookie,) = view.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    assert served.tokens["human"] not in cookie["value"]
    assert view.page.evaluate("document.cookie") == ""
    from caselore.memory import Actor, Role

    served.app.memory.revoke_token("human-one", Actor("ana", Role.HUMAN))
    page = view.open("/")
    expect(page.locator("text=Sign in")).to_have_count(1)


def test_a_wrong_token_does_not_open_a_session(browser, world):
    served, _ = world
    view = watched(browser, served.url)
    page = view.open("/sign-in?next=//elsewhere.example")
    page.fill("main [name=token]", "clt_000000000000_" + "0" * 64)
    page.click("main button")
    page.wait_for_selector(".refused")

    assert view.page.context.cookies() == []
    assert page.input_value("[name=next]") == "/"


JSON_PAGES = [one for one in PAGES.items() if one[0] not in ("sign-in", "missing")]


@pytest.mark.parametrize(("name", "path"), JSON_PAGES)
def test_every_page_is_also_json(world, name, path):
    served, ids = world
    bare, _, query = placed(path, ids).partition("?")
    target = ("/index" if bare == "/" else bare) + ".json" + (f"?{query}" if query else "")
    with served.client("admin") as client:
        answer = client.get(target, headers={"Accept": "text/html"})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json(), dict)


def session(served, role):
    form = {"token": served.tokens[role], "next": "/quarantine"}
    answer = httpx.post(f"{served.url}/sign-in", data=form, timeout=30)
    assert answer.headers["location"] == "/quarantine"
    return httpx.Client(base_url=served.url, timeout=30, cookies=dict(answer.cookies))


def test_a_form_of_another_page_is_refused(small):
    served, ids = small
    path = f"/incidents/{ids['1059']}/refute"
    with session(served, "human") as client:
        without = client.post(path, data={"why": "w"})
        wrong = client.post(path, data={"why": "w", "csrf": "x" * 64})
        api = client.post(f"/api/v1{path}", json={"why": "w"})
        page = client.get(f"/incidents/{ids['1059']}").text
        csrf = re.search(r'name="csrf" value="(\w+)"', page)[1]
        right = client.post(path, data={"why": "w", "csrf": csrf})
        by_api = client.post(
            f"/api/v1/incidents/{ids['1058']}/refute",
            json={"why": "w"},
            headers={"X-CSRF-Token": csrf},
        )

    assert [one.status_code for one in (without, wrong, api)] == [403, 403, 403]
    assert right.status_code == 303
    assert by_api.status_code == 201


FORMS = {
    "confirm": {"cause": "c", "resolution": "r", "result": "succeeded"},
    "refute": {"why": "w"},
    "unlike": {"why": "w", "other": "1017"},
    "release": {"why": "w"},
    "drop": {"why": "w"},
}


@pytest.mark.parametrize("role", ["agent", "ci", ""])
def test_no_form_lets_anyone_but_a_person_judge(small, role):
    served, ids = small
    before = {case.id: case.status for case in served.app.memory.list()}
    with session(served, role) if role else served.client() as client:
        page = client.get("/").text
        csrf = re.search(r'name="csrf" value="(\w+)"', page)
        for name in ("1059", "1060"):
            for verb, given in FORMS.items():
                data = {**given, "csrf": csrf[1] if csrf else ""}
                answer = client.post(f"/incidents/{ids[name]}/{verb}", data=data)
                assert answer.status_code in ((401,) if not role else (400, 403, 409)), verb

    assert {case.id: case.status for case in served.app.memory.list()} == before


def test_where_it_is_strict_a_browser_is_sent_to_sign_in_and_back(browser, tmp_path):
    with running(tmp_path / "home", CASELORE_AUTH_REQUIRED="1") as served:
        ids = build(served)
        view = watched(browser, served.url)
        page = view.open(f"/incidents/{ids['1057']}?said=x")
        assert "/sign-in?next=" in page.url
        page.fill("main [name=token]", served.tokens["human"])
        page.click("main button")
        page.wait_for_url(f"**/incidents/{ids['1057']}?said=x")


def test_a_page_of_a_hundred_causes_is_small(tmp_path):
    with running(tmp_path / "home") as served:
        for number in range(100):
            one = failure(
                str(1000 + number),
                signature=signed(f"cause {number}"),
                service=f"service-{number % 9}",
                stage="integration-test",
                title=f"FAILED tests/test_pay.py::test_total_{number} - assert 3.3000000000000003 == 3.3",
            )
            served.app.memory.observe(one, CI)
        with served.client() as client:
            answer = client.get("/?limit=100")

    assert answer.text.count("<tr data-row>") == 100
    assert len(answer.content) <= MOST_BYTES


def test_the_log_of_a_hostile_job_keeps_its_page_small(world):
    served, ids = world
    with served.client() as client:
        answer = client.get(f"/incidents/{ids['1061']}")

    assert len(HOSTILE_LOG) > 5_000
    assert len(answer.content) <= MOST_BYTES


def test_own_files_are_kept_by_browsers_until_they_change(world):
    served, _ = world
    with served.client() as client:
        page = client.get("/").text
        for address in re.findall(r'"(/static/[^"]+)"', page):
            answer = client.get(address)
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
        assert client.get("/static/..%2fpage.py").status_code == 404
        assert client.get("/static/page.py").status_code == 404
