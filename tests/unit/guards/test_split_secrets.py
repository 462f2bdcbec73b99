"""A secret is masked where a terminal, a shell or an encoding has split it; lines stay."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.guards import secrets

A = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0"
TOKENS = ["ghp" + "_" + A + A[:6], "glpat" + "-" + A[:20], "npm" + "_" + A + A[:6]]


def _wrapped(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


SPLITS: dict[str, Callable[[str], str]] = {
    "80 columns": lambda token: _wrapped("x" * 60 + " token " + token + " used", 80),
    "20 columns": lambda token: _wrapped("the token is " + token, 20),
    "crlf": lambda token: _wrapped("y" * 110 + " " + token, 120).replace("\n", "\r\n"),
    "continued": lambda token: f"deploy --with {token[:15]}\\\n{token[15:]}",
    "colours": lambda token: "".join(f"\x1b[3{at % 7}m{c}" for at, c in enumerate(token)),
    "zero width": "\u200b".join,
    "json": lambda token: json.dumps(json.dumps({"out": f'used "{token}"'})),
    "unicode": lambda token: token.replace("_", "\\u005f").replace("-", "\\u002d"),
    "per cent": lambda token: quote(token, safe="").replace("_", "%5F").replace("-", "%2D"),
    "entities": lambda token: token.replace("_", "&#95;").replace("-", "&#x2d;"),
    "base64": lambda token: base64.b64encode(token.encode()).decode(),
    "hex": lambda token: token.encode().hex(),
    "overwritten": lambda token: f"{token}\rdone",
    "typed over": lambda token: "".join(f"x\b{c}" for c in token),
}


@pytest.mark.parametrize("way", SPLITS)
@pytest.mark.parametrize("token", TOKENS)
def test_a_split_token_is_masked_in_its_lines(token: str, way: str) -> None:
    text = f"before\n{SPLITS[way](token)}\nafter"
    masked = secrets.redact(text)
    assert masked.findings
    assert masked.text.count("\n") == text.count("\n")
    assert masked.text.startswith("before\n")
    assert masked.text.endswith("\nafter")
    seen = "".join(masked.text.split())
    assert token not in seen
    assert token[12:] not in seen.replace("\\", "")


def test_what_a_shell_continues_is_one_command() -> None:
    masked = secrets.redact("curl \\\n  -u deploy:s3cr3t-w0rd \\\n  https://a.example")
    assert "s3cr3t" not in masked.text


def test_the_name_and_password_of_basic_authentication_are_masked() -> None:
    pair = base64.b64encode(b"deploy:correct").decode()
    assert pair not in secrets.redact(f"> Authorization: Basic {pair}").text
    assert secrets.redact("Basic authentication failed").findings == ()


def test_a_line_that_only_follows_a_secret_is_left_alone() -> None:
    masked = secrets.redact(f"login {TOKENS[0]}\ndownloading-package-7 of 12")
    assert masked.text == "login [masked:github-token:64]\ndownloading-package-7 of 12"


def _encoded(value: str) -> Iterator[str]:
    yield value
    yield quote(value, safe="")
    yield json.dumps(value)[1:-1]
    yield value.encode().hex()
    for before in ("", "a", "ab"):
        yield base64.b64encode(f"{before}{value}{before}".encode()).decode()


@pytest.mark.parametrize("form", range(7))
def test_a_named_value_is_masked_in_every_form(form: int) -> None:
    value = 'blue "whale"/7 & co'
    text = list(_encoded(value))[form]
    masked = secrets.redact(f"host {text} today", exact=[value])
    assert [one.rule for one in masked.findings] == ["named-value"]


def test_values_that_the_user_names_once_are_masked_from_then_on() -> None:
    secrets.also_mask(["velvet-otter-11"])
    try:
        assert "otter" not in secrets.redact("login velvet-otter-11").text
    finally:
        secrets.also_mask([])
    assert "otter" in secrets.redact("login velvet-otter-11").text


@settings(deadline=None, max_examples=60)
@given(st.integers(16, 140), st.integers(0, 139), st.sampled_from(TOKENS))
def test_law_no_token_survives_a_wrap_at_any_width(width: int, lead: int, token: str) -> None:
    text = _wrapped("z" * (lead % width) + " " + token + " " + "z" * width, width)
    assert token[8:] not in secrets.redact(text).text.replace("\n", "")
