"""What each role may do, over every route and every tool that there is: none can be forgotten."""

from __future__ import annotations

import re
from contextlib import ExitStack

import httpx
import pytest
from enumerated import routes
from serving import PYTEST, TIMEOUT, running
from test_mcp import READ_ONLY, WRITING, asked, over_http
from world import PLANTED

from caselore.memory import Role, TokenRole
from caselore.memory.gate import TABLE, Draft, judge
from caselore.memory.records import Actor

ROLES = ("", "reader", "ci", "agent", "human", "admin")
ANYBODY = frozenset(ROLES)
NAMED = frozenset({"reader", "ci", "agent", "human", "admin"})
WRITERS = NAMED - {"reader"}
PROPOSERS = frozenset({"agent", "human", "admin"})
PEOPLE = frozenset({"human", "admin"})
ADMINS = frozenset({"admin"})

WHY = {"why": "w"}
FIX = {"cause": "c", "resolution": "r", "result": "succeeded"}
EVENT = {"competitor": "Velora", "event_type": "hiring", "title": "t", "date": "2026-11-01"}
CHANGE = {"change": "https://git.example/pay/-/merge_requests/7", "worker": "claude-code"}
DIFF = """\
diff --git a/pay/total.py b/pay/total.py
--- a/pay/total.py
+++ b/pay/total.py
@@ -1,3 +1,3 @@
-    return sum(prices)
+    return round(sum(prices), 2)
"""
# Every POST: who may do it, and with what it is tried. A route that is missing here fails the test.
WRITES = {
    "/api/v1/changes": (WRITERS, CHANGE),
    "/api/v1/changes/{id}/rearm": (PEOPLE, WHY),
    "/api/v1/incidents": (WRITERS, {"log": PYTEST}),
    "/api/v1/incidents/{incident}/draft": (PROPOSERS, {"diff": DIFF}),
    "/api/v1/incidents/{incident}/erase": (ADMINS, WHY),
    "/api/v1/incidents/{incident}/outcome": (PEOPLE, FIX),
    "/api/v1/incidents/{incident}/propose": (PROPOSERS, {"cause": "c", "resolution": "r"}),
    "/api/v1/incidents/{incident}/refute": (PEOPLE, WHY),
    "/api/v1/incidents/{incident}/unlike": (PEOPLE, {**WHY, "other": "other"}),
    "/api/v1/intel/events": (PEOPLE | {"ci"}, EVENT),  # an agent's needs a quote
    "/api/v1/intel/search": (ANYBODY, {"query": "a"}),
    "/api/v1/quarantine/{subject}/drop": (PEOPLE, WHY),
    "/api/v1/quarantine/{subject}/release": (PEOPLE, WHY),
    "/api/v1/recall": (ANYBODY, {"query": "a"}),
    "/api/v1/signatures/{signature}/merge": (PEOPLE, {**WHY, "into": "other"}),
    "/api/v1/signatures/{signature}/split": (PEOPLE, WHY),
    "/api/v1/tokens": (ADMINS, {"role": "ci", "name": "job"}),
    "/api/v1/tokens/{id}/revoke": (ADMINS, None),
    "/changes/{id}/rearm": (PEOPLE, WHY),
    "/incidents/{incident}/confirm": (PEOPLE, FIX),
    "/incidents/{incident}/drop": (PEOPLE, WHY),
    "/incidents/{incident}/erase": (ADMINS, WHY),
    "/incidents/{incident}/propose": (PROPOSERS, {"cause": "c", "resolution": "r"}),
    "/incidents/{incident}/refute": (PEOPLE, WHY),
    "/incidents/{incident}/release": (PEOPLE, WHY),
    "/incidents/{incident}/summary": (WRITERS, {}),
    "/incidents/{incident}/unlike": (PEOPLE, {**WHY, "other": "other"}),
    "/signatures/{signature}/merge": (PEOPLE, {**WHY, "into": "other"}),
    "/signatures/{signature}/split": (PEOPLE, WHY),
    "/tokens": (ADMINS, {"role": "ci", "name": "job"}),
    "/tokens/{id}/revoke": (ADMINS, {}),
    "/sign-out": (NAMED, {}),
}
# what proves itself otherwise: a signature, a token in the form, the tools' own table below
ELSEWHERE = {"/hooks/{kind}", "/api/v1/hooks/{kind}", "/sign-in", "/mcp"}
READS_OF_ADMINS = {"/tokens", "/settings", "/api/v1/tokens", "/api/v1/settings"}
STREAM = "/api/v1/events"  # answers until its reader leaves


class Scene:
    """A server, its incidents, and a caller of each role."""

    def __init__(self, served) -> None:
        self.served = served
        self.case = served.submit(deployment="case")["incident"]
        self.signature = served.app.memory.get(self.case).record.body.signature.id
        served.submit(deployment="other", log=TIMEOUT)
        self.held: dict[str, str] = {}
        self.change = served.app.repair.track(
            "https://git.example/pay/-/merge_requests/9", "claude-code"
        ).id
        self.number = 0
        self.opened = ExitStack()
        self.clients: dict[tuple[str, str], httpx.Client] = {}

    def path(self, template: str) -> str:
        incident = self.case
        if "{subject}" in template or template.endswith(("/release", "/drop")):
            incident = self.holding(template)
        if template.endswith("/erase"):
            self.number += 1
            log = PYTEST.replace("cents", f"erased_{self.number}")
            incident = self.served.submit(log=log, deployment=f"e{self.number}")["incident"]
        named = {
            "incident": incident,
            "subject": incident,
            "signature": self.signature,
            "claim": "x",
        }
        named |= {"id": self.change if "change" in template else "nobody"}
        named |= {"name": "caselore.css" if "static" in template else "Velora"}
        return re.sub(r"\{(\w+)(:path)?\}", lambda one: named.get(one[1], "Velora"), template)

    def holding(self, template: str) -> str:
        """Give what a guard holds, one for each route that decides on it."""
        if template not in self.held:
            log = PLANTED + TIMEOUT.replace("orders", f"orders_{len(self.held)}")
            self.held[template] = self.served.submit(log=log)["incident"]
        return self.held[template]

    def client(self, role: str, template: str) -> httpx.Client:
        """Give a caller: a token for a program's route, a session for a page."""
        kind = "token" if not role or template.startswith("/api/") else "session"
        if template == "/sign-out":  # what signs out is nobody's session afterwards
            return self._made(role, kind)
        if (role, kind) not in self.clients:
            self.clients[role, kind] = self._made(role, kind)
        return self.clients[role, kind]

    def _made(self, role: str, kind: str) -> httpx.Client:
        if kind == "token":
            return self.opened.enter_context(self.served.client(role))
        client = self.opened.enter_context(self.served.client())
        client.post("/sign-in", data={"token": self.served.tokens[role]})
        assert "caselore_session" in client.cookies
        return client

    def write(self, role: str, template: str, path: str, body: object) -> int:
        client = self.client(role, template)
        if template.startswith("/api/"):
            return client.post(path, json=body).status_code
        csrf = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
        return client.post(path, data={**body, "csrf": csrf[1] if csrf else ""}).status_code


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    with running(tmp_path_factory.mktemp("roles") / "home") as served:
        made = Scene(served)
        with made.opened:
            yield made


def test_every_route_that_writes_is_in_the_table(scene):
    found = {path for method, path in routes(scene.served.app) if method != "GET"}

    assert found == set(WRITES) | ELSEWHERE


@pytest.mark.parametrize("template", WRITES)
def test_each_role_does_what_it_may_and_is_refused_the_rest(scene, template):
    may, body = WRITES[template]
    for role in ROLES:
        path = scene.path(template)
        before = scene.served.app.memory.ledger_head()
        status = scene.write(role, template, path, body)
        if role in may:
            assert status not in {401, 403, *range(500, 600)}, (role, status)
        else:
            assert status == (403 if role else 401), (role, status)
        if role in ("", "reader"):
            assert scene.served.app.memory.ledger_head() == before


def test_everybody_reads_what_is_no_admins_and_nobody_else_reads_that(scene):
    read = {path for method, path in routes(scene.served.app) if method == "GET"}
    for template in read - {STREAM, "/mcp", "/sign-in/provider", "/sign-in/back"}:
        bare = template.removesuffix(".json")
        for role in ROLES:
            status = scene.client(role, template).get(scene.path(template)).status_code
            if bare in READS_OF_ADMINS and role != "admin":
                assert status == (403 if role else 401), (template, role)
            else:
                assert status in (200, 404), (template, role, status)


TOOLS = {
    "propose_outcome": {"incident": "case", "cause": "c", "resolution": "r"},
    "track_change": {"change": CHANGE["change"] + "1", "worker": "claude-code"},
    "store_event": {
        "competitor": "Velora",
        "event_type": "hiring",
        "title": "t",
        "quote": "q",
        "snapshot": "none",
    },
}


@pytest.mark.parametrize("role", ROLES)
def test_by_no_token_does_a_tool_write_more_than_an_agent_may(scene, role):
    assert set(TOOLS) == WRITING
    memory = scene.served.app.memory

    async def ask(session):
        found = {one.name for one in (await session.list_tools()).tools}
        assert found == READ_ONLY | WRITING
        return {name: await session.call_tool(name, given) for name, given in TOOLS.items()}

    before = memory.ledger_head()
    told = asked(lambda: over_http(scene.served, role), ask)
    said = {entry.action for entry, _ in memory.ledger_after(before, 50)}
    if role in ("", "reader"):
        assert all(one.is_error for one in told.values())
        assert said <= {"refused"}
    else:
        assert not told["propose_outcome"].is_error
        assert said <= {"propose", "track", "refused"}
    assert told["store_event"].is_error  # no page holds that quote


def test_a_reader_writes_by_no_path_at_all():
    for action in TABLE:
        draft = Draft("b", action, "x", {"role": "ci"}, Actor("x", Role.READER), True, True)
        assert judge(draft, person_acted=False, quoted=True)


def test_an_admin_is_a_person_in_the_account_and_only_admins_make_admins(tmp_path):
    with running(tmp_path / "home") as served:
        incident = served.submit(deployment="1")["incident"]
        with served.client("admin") as admin, served.client("human") as person:
            made = admin.post("/api/v1/tokens", json={"role": "admin", "name": "bo"})
            refused = person.post("/api/v1/tokens", json={"role": "human", "name": "eve"})
            admin.post(f"/api/v1/incidents/{incident}/outcome", json=FIX)
            erased = admin.post(f"/api/v1/incidents/{incident}/erase", json=WHY)
            gone = admin.get(f"/api/v1/incidents/{incident}")
            listed = admin.get("/api/v1/tokens").text
            settings = admin.get("/api/v1/settings").json()
            revoked = admin.post("/api/v1/tokens/bo/revoke")
        actors = {str(one.entry.role) for one in served.app.memory.ledger_show(incident)}

    assert (made.status_code, refused.status_code) == (201, 403)
    assert made.json()["token"].startswith("clt_")
    assert made.json()["role"] == TokenRole.ADMIN
    assert "argon2" not in listed
    assert made.json()["token"] not in listed
    assert erased.json()["erased"]
    assert gone.status_code == 404
    assert actors == {"ci", "human"}
    assert settings["store"]["bank"] == "default"
    assert revoked.json() == {"token": "bo", "revoked": True}
