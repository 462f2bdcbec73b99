"""The page of a log: whole where it is kept, in pages that a browser reads quickly, and only text."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from browser import Watched, launched, sign_in
from playwright.sync_api import expect
from serving import PYTEST, running

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOISE = "".join(f"step {n} of the build <b>{n}</b>\n" for n in range(1, 4_001))
LOG = (
    f"section_start:1700000000:prepare\r\x1b[0KPreparing\n{NOISE}"
    f"export TOKEN={SECRET}\nsection_end:1700000009:prepare\r\x1b[0K\n"
    "section_start:1700000010:test_script\r\x1b[0KTesting\n"
    "\x1b[31m<script>alert(1)</script>\x1b[0m \u202eevil \x1b]8;;http://elsewhere.example\x07link\n"
    + "x" * 9_000
    + f"\n{PYTEST}section_end:1700000020:test_script\r\x1b[0K\n"
)
LINES = LOG.count("\n")
MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """Give a server that keeps whole logs for a week, and an incident."""
    with running(tmp_path_factory.mktemp("log") / "home", CASELORE_KEEP_LOGS="7") as served:
        yield served, served.submit(log=LOG, deployment="1057")["incident"]


def pages(client, incident):
    """Give every page of a log, following its links."""
    path = f"/incidents/{incident}/log"
    while path:
        page = client.get(path)
        yield page.text
        onward = re.search(r'href="([^"]+)" rel="next"', page.text)
        path = onward[1].replace("&amp;", "&") if onward else ""


def numbers(page):
    return [int(one) for one in re.findall(r'<li id="L(\d+)"', page)]


def test_the_pages_of_a_log_show_each_line_once_and_are_small(keeping):
    served, incident = keeping
    with served.client() as client:
        found = list(pages(client, incident))
        last = re.search(r'href="([^"]+)" rel="prev"', found[-1])[1].replace("&amp;", "&")
        back = numbers(client.get(last).text)

    assert [number for page in found for number in numbers(page)] == list(range(1, LINES + 1))
    assert all(len(page.encode()) <= MOST_BYTES for page in found)
    assert back[-1] == numbers(found[-1])[0] - 1


def test_what_tells_is_marked_and_the_rest_of_a_section_is_folded(keeping):
    served, incident = keeping
    failing = served.app.memory.get(incident).record.body.failing_line
    with served.client() as client:
        page = client.get(f"/incidents/{incident}/log?line={failing}").text
        top = client.get(f"/incidents/{incident}/log").text

    assert f'<li id="L{failing}" class="fails">' in page
    assert 'class="told"' in page
    assert re.search(r"<details open><summary>test_script", page)
    assert re.search(r"<details><summary>prepare", top)
    assert "section_start" not in page + top


def test_a_hostile_log_is_text_and_its_secret_is_in_no_file(keeping):
    served, incident = keeping
    with served.client() as client:
        text = "".join(pages(client, incident))
        api = client.get(f"/api/v1/incidents/{incident}/log?first=3990&limit=20").json()
        found = client.get(f"/incidents/{incident}/log?find=ALERT(1)").text

    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "elsewhere.example" not in text
    assert "[masked:" in text
    for file in served.app.settings.home.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file
    assert SECRET not in text + str(api)
    assert [one["number"] for one in api["lines_kept"]] == list(range(3990, api["next_line"]))
    assert len(re.findall("<li data-row>", found)) == 1


def test_by_default_only_the_telling_lines_are_kept_and_the_page_says_so(served):
    incident = served.submit(log=LOG, deployment="1")["incident"]
    body = served.app.memory.get(incident).record.body
    kept = sum(one.last - one.first + 1 for one in body.excerpt)
    with served.client() as client:
        page = client.get(f"/incidents/{incident}/log").text
        api = client.get(f"/api/v1/incidents/{incident}/log?limit=10").json()

    assert len(numbers(page)) == kept
    assert "the rest of this log is not kept here" in page
    assert api["lines_kept"] is None
    assert not (served.app.settings.home / "aside.db").exists()


def test_a_log_goes_when_its_days_are_over_or_its_incident_is_erased(tmp_path):
    with running(tmp_path / "home", CASELORE_KEEP_LOGS="7") as served:
        one = served.submit(log=LOG, deployment="1")["incident"]
        aside, bank, now = served.app.aside, served.app.memory.bank, served.app.now()
        assert aside.log(bank, one, now)
        assert aside.log(bank, one, now + timedelta(days=8)) is None
        two = served.submit(log=LOG.replace("cents", "sum"), deployment="2")["incident"]
        with served.client("admin") as client:
            client.post(f"/api/v1/incidents/{two}/erase", json={"why": "w"})

        assert aside.log(bank, two, now) is None


def test_a_log_beyond_all_bounds_keeps_its_ends_and_says_what_it_left_out(tmp_path):
    line = "a line of a log that never ends, and says so again and again\n"
    huge = line * 150_000 + PYTEST
    with running(tmp_path / "home", CASELORE_KEEP_LOGS="1") as served, served.client() as client:
        incident = served.submit(log=huge, deployment="1")["incident"]
        failing = served.app.memory.get(incident).record.body.failing_line
        page = client.get(f"/incidents/{incident}/log?line={failing}").text
        gap = client.get(f"/incidents/{incident}/log?first=17100").text
        last = client.get(f"/api/v1/incidents/{incident}/log?first=150000&limit=5000").json()

    assert f'<li id="L{failing}" class="fails">' in page
    assert re.search(r"[\d,]+ lines not kept", gap)
    assert last["lines_kept"][-1]["number"] == huge.count("\n")


def test_n_and_p_go_from_error_to_error_over_the_pages_of_a_log(keeping):
    served, incident = keeping
    body = served.app.memory.get(incident).record.body
    with launched() as browser:
        view = Watched(browser.new_context().new_page(), served.url)
        page = view.page
        sign_in(page, served.url, served.tokens["human"])
        view.open(f"/incidents/{incident}/log")
        expect(page.locator("#L2")).to_be_hidden()  # in a fold without anything that tells
        page.locator("summary", has_text="prepare").click()
        expect(page.locator("#L2")).to_be_visible()
        page.keyboard.press("n")
        first = min(one.first for one in body.excerpt)
        page.wait_for_url(f"**#L{first}")
        expect(page.locator(f"#L{first}")).to_be_in_viewport()
        view.open(f"/incidents/{incident}")
        page.click("text=open the log")
        page.wait_for_url(f"**line={body.failing_line}#L{body.failing_line}")
        expect(page.locator("li.fails")).to_be_in_viewport()
        assert view.wrong == []
        assert view.elsewhere() == []
