"""Who may come in, and what each role may do: by enumeration of every route."""

from __future__ import annotations

import pytest
from serving import PYTEST, running

API = "/api/v1"
STAND_INS = {
    "signature": "sig1:00",
    "incident": "1",
    "subject": "1",
    "id": "chg_1",
    "kind": "gitlab",
    "name": "Velora",
    "claim": "1",
}
KEPT = {f"{API}/tokens", f"{API}/settings"}  # what an admin alone reads
OPEN = {"/healthz", "/readyz"}  # what a probe asks, who has no token


def routes(client):
    """Give every method and path that the description names, with stand-ins for parameters."""
    described = client.get("/openapi.json").json()["paths"]
    for path, methods in described.items():
        for method in methods:
            yield method.upper(), path.format_map(STAND_INS)


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    home = tmp_path_factory.mktemp("strict") / "home"
    home.mkdir()
    (home / "caselore.toml").write_text("[auth]\nrequired = true\n")
    with running(home) as served:
        yield served


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    with running(tmp_path_factory.mktemp("outside") / "home", host="0.0.0.0") as served:
        yield served


@pytest.mark.parametrize("place", ["strict", "outside"])
def test_where_it_is_strict_no_route_answers_without_a_token(request, place):
    served = request.getfixturevalue(place)
    with served.client("human") as known, served.client() as nobody:
        found = list(routes(known))
        for method, path in found:
            answer = nobody.request(method, path)
            if path in OPEN:
                assert answer.status_code == 200
            else:
                assert answer.status_code == 401, (method, path)
                assert answer.json()["error"]["code"] == "unidentified"
                assert answer.headers["www-authenticate"] == "Bearer"
        assert nobody.get("/openapi.json").status_code == 401

    assert len(found) >= 15


def test_on_loopback_nobody_writes_without_a_token(shared):
    shared.submit(deployment="1")
    with shared.client() as nobody:
        for method, path in routes(nobody):
            answer = nobody.request(method, path, json={}) if path != f"{API}/events" else None
            writes = method == "POST" and not path.endswith(("/recall", "/search"))
            if writes or path in KEPT:
                assert answer.status_code == 401, (method, path)
            elif answer is not None:
                assert answer.status_code != 401, (method, path)


@pytest.mark.parametrize("token", ["x", "clt_000000000000_" + "0" * 64, "é", "a b"])
def test_a_wrong_token_is_refused_even_where_reading_is_open(shared, token):
    with shared.client() as client:
        headers = {"Authorization": f"Bearer {token}".encode()}
        answer = client.get(f"{API}/incidents", headers=headers)

    assert answer.status_code == 401


def test_a_revoked_token_ends_at_once(served):
    incident = served.submit(role="agent", deployment="1")["incident"]
    from caselore.memory import Actor, Role

    served.app.memory.revoke_token("agent-one", Actor("ana", Role.HUMAN))
    with served.client("agent") as client:
        answer = client.get(f"{API}/incidents/{incident}")

    assert answer.status_code == 401
    assert "revoked" in answer.json()["error"]["message"]


FROM_ELSEWHERE = [
    {"X-Forwarded-For": "203.0.113.9"},
    {"Forwarded": "for=203.0.113.9"},
    {"Host": "evil.example"},
    {"Host": "evil.example:8420"},
]


@pytest.mark.parametrize("headers", FROM_ELSEWHERE)
def test_a_request_that_came_from_elsewhere_needs_a_token_on_loopback_too(shared, headers):
    with shared.client() as nobody, shared.client("agent") as agent:
        assert nobody.get(f"{API}/incidents", headers=headers).status_code == 401
        assert agent.get(f"{API}/incidents", headers=headers).status_code == 200


def test_a_name_that_the_settings_give_the_server_is_its_own(tmp_path):
    home = tmp_path / "home"
    with running(home, CASELORE_HOSTS="lore.example") as served, served.client() as nobody:
        answer = nobody.get(f"{API}/incidents", headers={"Host": "lore.example"})

    assert answer.status_code == 200


VERDICTS = {
    "outcome": {"cause": "c", "resolution": "r", "result": "succeeded"},
    "refute": {"why": "w"},
    "unlike": {"why": "w", "other": "2"},
}
# what each role may write over HTTP: the gate's table, seen from outside
MATRIX = [
    ("human", {"incidents": 201, "propose": 201, "outcome": 201, "refute": 201, "unlike": 201}),
    ("agent", {"incidents": 201, "propose": 201, "outcome": 403, "refute": 403, "unlike": 403}),
    ("ci", {"incidents": 201, "propose": 403, "outcome": 403, "refute": 403, "unlike": 403}),
    ("", {"incidents": 401, "propose": 401, "outcome": 401, "refute": 401, "unlike": 401}),
]


@pytest.mark.parametrize(("role", "may"), MATRIX)
def test_each_role_writes_what_the_gate_lets_it_and_no_more(served, role, may):
    one = served.submit(deployment="1")["incident"]
    served.submit(deployment="2")
    with served.client(role) as client:
        found = {"incidents": client.post(f"{API}/incidents", json={"log": PYTEST}).status_code}
        body = {"cause": "c", "resolution": "r"}
        found["propose"] = client.post(f"{API}/incidents/{one}/propose", json=body).status_code
        for verb, body in VERDICTS.items():
            found[verb] = client.post(f"{API}/incidents/{one}/{verb}", json=body).status_code
    status = served.app.memory.get(one).status.value

    assert found == may
    expected = {"human": {"refuted"}, "agent": {"proposed"}}
    assert status in expected.get(role, {"observed"})


def test_what_an_agent_submits_counts_only_once_ci_or_a_person_saw_it(served):
    first = served.submit(role="agent", deployment="1")
    again = served.submit(role="ci", deployment="1")

    assert first["incident"] == again["incident"]
    assert first["occurrences"]["count"] == 0
    assert again["occurrences"]["count"] == 1


def test_a_person_whom_a_trusted_proxy_names_may_read_and_a_stranger_may_not_pretend(tmp_path):
    with (
        running(
            tmp_path / "home",
            CASELORE_PROXY_HEADER="X-Auth-User",
            CASELORE_PROXY_FROM="127.0.0.1",
            CASELORE_AUTH_REQUIRED="1",
        ) as served,
        served.client() as client,
    ):
        named = client.get(f"{API}/incidents", headers={"X-Auth-User": "ana"})
        bare = client.get(f"{API}/incidents")
        write = client.post(
            f"{API}/incidents", json={"log": PYTEST}, headers={"X-Auth-User": "ana"}
        )
    with (
        running(
            tmp_path / "other",
            CASELORE_PROXY_HEADER="X-Auth-User",
            CASELORE_PROXY_FROM="192.0.2.1",
            CASELORE_AUTH_REQUIRED="1",
        ) as served,
        served.client() as client,
    ):
        pretended = client.get(f"{API}/incidents", headers={"X-Auth-User": "ana"})

    assert named.status_code == 200
    assert bare.status_code == 401
    assert pretended.status_code == 401
    assert write.status_code == 403  # a browser behind a proxy writes from our own pages only
