"""Two banks of one home: a token of one opens nothing of the other, by HTTP, by MCP or by name."""

from __future__ import annotations

import pytest
from serving import running
from test_mcp import asked, over_http, over_stdio

from caselore.memory import Actor, Role, TokenRole

ANA = Actor("set-up", Role.HUMAN)
READS = ("/api/v1/incidents", "/api/v1/ledger", "/api/v1/ledger/verify", "/api/v1/quarantine")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A server of the bank `team`, tokens of the bank `default` beside it, and a record in each."""
    home = tmp_path_factory.mktemp("banks") / "home"
    with running(home, CASELORE_BANK="default") as own:
        theirs = own.submit(service="pay", deployment="of-default")["incident"]
        tokens = dict(own.tokens)
    with running(home, CASELORE_BANK="team", CASELORE_AUTH_REQUIRED="1") as served:
        served.submit(service="pay", deployment="of-team")
        served.tokens.update({f"default {role}": token for role, token in tokens.items()})
        yield served, home, theirs


@pytest.mark.parametrize("role", ["human", "admin", "ci", "agent", "reader"])
def test_a_token_of_another_bank_reads_and_writes_nothing_over_http(two, role):
    served, _, _ = two
    with served.client(f"default {role}") as client:
        answers = [client.get(path) for path in READS]
        answers.append(client.post("/api/v1/recall", json={"query": "statement timeout"}))
        answers.append(client.post("/api/v1/incidents", json={"log": "x", "service": "pay"}))
        answers.append(client.get("/incidents/of-team"))

    assert {one.status_code for one in answers} <= {401, 403}, [one.text for one in answers]
    with served.client(role) as client:
        assert client.get(READS[0]).status_code == 200


def test_a_record_of_another_bank_is_not_found_by_any_name(two):
    served, _, theirs = two
    with served.client("human") as client:
        listed = client.get("/api/v1/incidents").json()
        assert "of-default" not in str(listed)
        assert "of-team" in str(listed)
        for name in (theirs, "of-default"):
            assert client.get(f"/api/v1/incidents/{name}").status_code == 404
            said = {"cause": "a", "resolution": "b", "result": "succeeded"}
            assert client.post(f"/api/v1/incidents/{name}/outcome", json=said).status_code == 404
        assert theirs not in client.post("/api/v1/recall", json={"query": "total cents"}).text
        assert theirs not in client.get("/api/v1/ledger").text


def test_mcp_over_http_wants_a_token_of_its_own_bank(two):
    served, _, theirs = two
    with pytest.raises(BaseException, match=r"401|Unauthorized|unhandled"):
        asked(lambda: over_http(served, "default agent"), lambda session: session.list_tools())

    found = asked(
        lambda: over_http(served, "agent"),
        lambda session: session.call_tool("get_incident", {"incident": theirs}),
    )

    assert found.is_error


def test_mcp_on_standard_input_serves_the_bank_of_its_token_alone(two):
    served, home, _ = two

    def of(bank, token):
        return asked(
            lambda: over_stdio(home, CASELORE_BANK=bank, CASELORE_TOKEN=served.tokens[token]),
            lambda session: session.call_tool("get_incident", {"incident": f"of-{bank}"}),
        )

    assert not of("team", "agent").is_error
    assert not of("default", "default agent").is_error
    with pytest.raises(BaseException, match=r"\S"):
        of("team", "default agent")


def test_tokens_are_made_listed_and_ended_in_their_own_bank(two):
    served, _, _ = two
    names = {one.id for one in served.app.memory.tokens()}
    text, made = served.app.memory.create_token(TokenRole("ci"), "one more", None, ANA)

    assert made.id not in names
    assert not any(text in one for one in served.tokens.values())
    with served.client("default human") as client:
        assert client.get("/api/v1/tokens").status_code in {401, 403, 404}
