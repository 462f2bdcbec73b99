"""The repair loop over HTTP, MCP and the board; and the webhooks at its door."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest
from browser import Watched, launched, sign_in
from loop import CHANGE, fail
from playwright.sync_api import expect
from serving import running
from test_mcp import call, over_http

from caselore.forges import webhooks

API = "/api/v1"
SECRET = "a secret of the hook"
TRACK = {"change": CHANGE, "worker": "claude-code", "session": "s-1"}


@pytest.fixture
def served(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "caselore.toml").write_text("[repair.policy]\nsettle = 0\nsame_failure = 20\n")
    with running(home, CASELORE_HOOK_SECRET=SECRET) as own:
        yield own


@pytest.fixture
def tracked(served):
    with served.client("agent") as agent:
        answer = agent.post(f"{API}/changes", json=TRACK)
    assert answer.status_code == 201, answer.text
    return served, answer.json()["id"]


def test_an_agent_registers_a_change_and_everybody_sees_where_it_stands(tracked):
    served, id = tracked
    fail(served, id, 3)
    with served.client() as client:
        (listed,) = client.get(f"{API}/changes").json()["items"]
        whole = client.get(f"{API}/changes/{id}").json()
        missing = client.get(f"{API}/changes/chg_none")

    assert (listed["change"], listed["pipeline_fail_count"]) == (CHANGE, 3)
    assert whole["state"] == "repairing"
    assert [one["attempt"] for one in whole["attempts"]] == [1, 2, 3]
    assert whole["history"][-1]["pipeline_fail_count"] == 3
    assert missing.status_code == 404


@pytest.mark.parametrize(("role", "status"), [("agent", 403), ("ci", 403), ("", 401)])
def test_nobody_but_a_person_rearms_a_breaker(tracked, role, status):
    served, id = tracked
    fail(served, id, 6)
    with served.client(role) as client, served.client("human") as person:
        refused = client.post(f"{API}/changes/{id}/rearm", json={"why": "let me"})
        stands = person.get(f"{API}/changes/{id}").json()["state"]
        rearmed = person.post(f"{API}/changes/{id}/rearm", json={"why": "the runner was full"})

    assert refused.status_code == status
    assert stands == "open"
    assert rearmed.status_code == 201
    assert (rearmed.json()["state"], rearmed.json()["pipeline_fail_count"]) != ("open", 6)


def test_an_agent_asks_and_registers_by_mcp_and_cannot_rearm(served):
    failed, found = call(lambda: over_http(served, "agent"), "track_change", **TRACK)
    assert not failed
    assert served.app.repair.status(CHANGE)["worker"]["name"] == "claude-code"
    fail(served, found["id"], 6)
    _, stands = call(lambda: over_http(served), "get_change_status", change=CHANGE)
    unnamed, words = call(lambda: over_http(served), "track_change", **TRACK)

    assert stands["state"] == "open"
    assert unnamed
    assert "unidentified" in words


def test_the_board_shows_the_breaker_and_a_person_rearms_it_with_a_note(tracked):
    served, id = tracked
    fail(served, id, 6)
    with launched() as browser:
        page = browser.new_page()
        sign_in(page, served.url, served.tokens["human"])
        view = Watched(page, served.url)
        view.open("/changes")
        row = page.locator("main tbody tr")
        assert "open" in row.inner_text()
        page.click("main tbody a")
        page.wait_for_url(f"**/changes/{id}")
        expect(page.locator("main tbody tr")).to_have_count(6)
        page.fill("[name=why]", "the runner had no disk left")
        page.click("button:text-is('Rearm')")
        page.wait_for_url("**said=rearm")
        assert "Rearmed" in page.inner_text(".said")
        assert "the runner had no disk left" in page.inner_text("aside")
        assert view.wrong == []
        assert view.elsewhere() == []
    assert served.app.repair.status(id)["state"] != "open"


def signed(kind, body, secret=SECRET, at=None):
    mac = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {
        "gitlab": {"X-Gitlab-Token": secret, "X-Gitlab-Event": "Pipeline Hook"},
        "github": {"X-Hub-Signature-256": f"sha256={mac}", "X-GitHub-Delivery": "d-1"},
        "gitea": {"X-Gitea-Signature": mac, "X-Gitea-Delivery": "d-1"},
        "generic": webhooks.sign("m-1", int(at or time.time()), body, secret),
    }[kind]


PAYLOADS = {
    "gitlab": {"object_kind": "pipeline", "merge_request": {"url": CHANGE}},
    "github": {"pull_request": {"html_url": "https://git.example/o/pay/pull/42"}},
    "gitea": {"pull_request": {"html_url": "https://git.example/o/pay/pulls/42"}},
    "generic": {"change": CHANGE},
}


@pytest.mark.parametrize("kind", PAYLOADS)
@pytest.mark.parametrize("base", ["/api/v1/hooks", "/hooks"])
def test_a_signed_delivery_is_heard_once_and_any_other_is_refused(served, kind, base):
    body = json.dumps(PAYLOADS[kind]).encode()
    headers = {"Content-Type": "application/json"}
    with served.client() as client:
        post = lambda **more: client.post(f"{base}/{kind}", content=body, headers=headers | more)  # noqa: E731
        unsigned = post()
        wrong = post(**signed(kind, body, secret="another secret"))
        other = post(**signed(kind, body + b" ")) if kind != "gitlab" else wrong
        assert served.app.memory.heard() == []
        heard = post(**signed(kind, body))
        again = post(**signed(kind, body))

    assert [one.status_code for one in (unsigned, wrong, other)] == [401, 401, 401]
    assert (heard.status_code, heard.json()) == (202, {"changes": 1})
    assert again.status_code == 202
    assert len(served.app.memory.heard()) == 1


def test_an_old_delivery_and_one_without_a_secret_are_refused(served, tmp_path):
    body = b"{}"
    with served.client() as client:
        old = client.post(
            "/hooks/generic", content=body, headers=signed("generic", body, at=time.time() - 900)
        )
        none = client.post("/hooks/none", content=body)
    with running(tmp_path / "bare") as bare, bare.client() as client:
        empty = client.post("/hooks/github", content=body, headers=signed("github", body, ""))

    assert (old.status_code, none.status_code, empty.status_code) == (401, 404, 401)


def test_a_delivery_that_names_only_a_project_is_about_its_live_changes(tracked):
    served, id = tracked
    body = json.dumps({"project": {"web_url": "https://git.example/pay"}}).encode()
    with served.client() as client:
        heard = client.post("/hooks/gitlab", content=body, headers=signed("gitlab", body))
        other = body.replace(b"/pay", b"/pa")
        none = client.post("/hooks/gitlab", content=other, headers=signed("gitlab", other))
        odd = client.post("/hooks/gitlab", content=b"[" * 9_000, headers=signed("gitlab", b""))

    assert heard.json() == {"changes": 1}
    assert none.json() == odd.json() == {"changes": 0}
    assert {one.change for one in served.app.memory.heard()} >= {id}


def test_gitlabs_signing_token_is_never_passed_by_its_plain_one(tmp_path):
    key = "whsec_" + base64.b64encode(b"k" * 24).decode()
    body = b"{}"
    with running(tmp_path / "h", CASELORE_HOOK_SECRET_GITLAB=key) as own, own.client() as client:
        plain = client.post("/hooks/gitlab", content=body, headers={"X-Gitlab-Token": key})
        headers = webhooks.sign("m-1", int(time.time()), body, key)
        signed_ = client.post("/hooks/gitlab", content=body, headers=headers)

    assert (plain.status_code, signed_.status_code) == (401, 202)
