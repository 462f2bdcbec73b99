"""Names are taken as they are, or refused with what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caselore.errors import BadInput
from caselore.guards import names

TAKEN: list[tuple[Callable[[str], str], str]] = [
    (names.check_competitor, "AT&T"),
    (names.check_competitor, "L'Oréal"),
    (names.check_competitor, "Yahoo!"),
    (names.check_competitor, "北京字节跳动"),
    (names.check_competitor, "Procter + Gamble (P/G)"),
    (names.check_competitor, "x" * 200),
    (names.check_service, "payment-service"),
    (names.check_service, "team/web_app.v2"),
    (names.check_environment, "production (eu)"),
    (names.check_branch, "feature/fix-1057"),
    (names.check_branch, "dependabot/npm_and_yarn/left-pad-1.3.0"),
    (names.check_commit, "3f786850e387550fdab836ed7e6dc881de23001b"),
    (names.check_commit, "v1.2.3"),
    (names.check_deployment, "1057"),
    (names.check_stage, "test: [3.11, ubuntu]"),
    (names.check_url, "https://ci.example/pay/-/jobs/7?x=1#L20"),
]


@pytest.mark.parametrize(("check", "value"), TAKEN)
def test_a_good_name_is_taken_as_it_is(check: Callable[[str], str], value: str) -> None:
    assert check(value) == value


def test_a_deployment_loses_its_sign() -> None:
    assert names.check_deployment("#1057") == "1057"


REFUSED: list[tuple[Callable[[str], str], str, str]] = [
    (names.check_competitor, "", "empty"),
    (names.check_competitor, "   ", "empty"),
    (names.check_competitor, "x" * 201, "201 characters"),
    (names.check_competitor, "Acme; rm -rf /", "';'"),
    (names.check_competitor, "Acme $(id)", "'$'"),
    (names.check_competitor, "Acme`id`", "'`'"),
    (names.check_competitor, "Acme|x", "'|'"),
    (names.check_competitor, "Acme\n", "U+000A"),
    (names.check_competitor, "Ac\u202eme", "U+202E"),
    (names.check_competitor, "Ac\u200bme", "U+200B"),
    (names.check_competitor, "&&&", "no letter"),
    (names.check_service, " pay", "blank"),
    (names.check_service, "pay\x00", "U+0000"),
    (names.check_branch, "a b", "git"),
    (names.check_branch, "a..b", "git"),
    (names.check_branch, "-x", "git"),
    (names.check_branch, "x.lock", "git"),
    (names.check_commit, "--upload-pack=x", "no commit"),
    (names.check_deployment, "10 57", "deployment"),
    (names.check_url, "javascript:alert(1)", "http"),
    (names.check_url, "https://a.example/<b>", "http"),
]


@pytest.mark.parametrize(("check", "value", "why"), REFUSED)
def test_a_bad_name_is_refused_with_what_is_wrong(
    check: Callable[[str], str], value: str, why: str
) -> None:
    with pytest.raises(BadInput) as refused:
        check(value)
    assert why in str(refused.value)


def test_texts_and_counts_have_bounds() -> None:
    assert names.check_count(5, "limit", most=10) == 5
    assert names.check_text("why", "reason") == "why"
    for call in (
        lambda: names.check_count(0, "limit", most=10),
        lambda: names.check_count(11, "limit", most=10),
        lambda: names.check_text(" ", "reason"),
        lambda: names.check_text("x" * 11, "reason", limit=10),
    ):
        with pytest.raises(BadInput):
            call()


SECRET = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0aB3dE5"
NAMES = [
    names.check_service,
    names.check_environment,
    names.check_branch,
    names.check_commit,
    names.check_deployment,
    names.check_stage,
    names.check_competitor,
    names.check_name,
]


@pytest.mark.parametrize("value", [SECRET, f"pay-{SECRET}", "https://bot:S3cr3tPw@git.example/x"])
@pytest.mark.parametrize("check", NAMES)
def test_a_name_that_holds_a_secret_is_refused_without_it(
    check: Callable[[str], str], value: str
) -> None:
    with pytest.raises(BadInput) as told:
        check(value)
    assert SECRET not in str(told.value)
    assert "S3cr3tPw" not in str(told.value)
    assert "secret" in str(told.value)


def test_a_message_repeats_an_input_masked_and_cut() -> None:
    assert SECRET[:12] not in names.quoted("x " * 20 + SECRET)
    assert len(names.quoted("x" * 500)) < 70


@pytest.mark.parametrize("name", ["Claude Code", "dependabot[bot]", "copilot"])
def test_an_agent_is_no_person(name: str) -> None:
    with pytest.raises(BadInput, match="only a person"):
        names.check_person(name, "confirmed_by")
