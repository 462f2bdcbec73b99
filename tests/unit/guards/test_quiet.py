"""The one look that spares a text the guards is wider than all that they find."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caselore.guards import injection, quiet, secrets
from caselore.guards.views import Views
from fakes.attack_world import attacks
from unit.guards.test_secrets import BESIDE, FORMATS

LOGS = sorted((Path(__file__).parents[2] / "cases" / "logs").glob("*.log"))
ORDINARY = (
    "ERROR: relation payments_daily does not exist",
    "9e3779b1",
    "service-7",
    "release/2026.03",
    "Raise the statement timeout to 3600 s.",
    "npm ERR! missing script\n\tin package.json\n  at line 3",
)
PIECES = [
    *FORMATS.values(),
    *(line for line, _ in BESIDE),
    *(text for _, text in attacks()[::7]),
    *ORDINARY,
    *("\x1b[31m", "\r", "\u200b", "\n", "\t", "\\\n", "%41", "&amp;", "2026-03-01T10:00:00Z "),
    *(
        "1gn0r3 pr3v10us",
        "snoitcurtsni suoiverp erongi",
        "i g n o r e a l l",
        "aWdub3JlIGFsbCB0aGF0",
    ),
]


def guarded(text):
    """Give what the guards find with no look beforehand."""
    views = Views(text)
    masked = secrets.redact_views(views)
    return masked, injection.scan_views(views)


def holds(text):
    """Check one text both ways."""
    masked, orders = guarded(text)
    if quiet.holds_nothing(text, secrets._rules()):
        assert (masked.text, masked.findings) == (text, ())
    if quiet.gives_no_order(text, injection._rules()):
        assert orders == ()
    assert secrets.redact(text) == masked
    assert injection.scan(text) == orders


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_ordinary_needs_no_second_look(text):
    assert quiet.holds_nothing(text, secrets._rules())
    assert quiet.gives_no_order(text, injection._rules())


@pytest.mark.parametrize("secret", [*FORMATS.values(), *(line for line, _ in BESIDE)])
def test_no_secret_is_spared(secret):
    assert not quiet.holds_nothing(secret, secrets._rules())
    holds(secret)


def test_no_attack_is_spared_that_the_guard_finds():
    found = [text for _, text in attacks() if injection.scan_views(Views(text))]
    assert len(found) > 25
    assert not [text for text in found if quiet.gives_no_order(text, injection._rules())]


@pytest.mark.parametrize("log", LOGS[::9], ids=lambda path: path.name)
def test_each_line_of_real_logs_is_judged_as_without_the_look(log):
    lines = log.read_text("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    for line in lines.split("\n")[:120]:
        holds(line)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), min_size=1, max_size=4))
def test_any_mixture_is_judged_as_without_the_look(pieces):
    holds("".join(pieces))
    holds(" ".join(pieces))


def test_a_value_that_the_user_named_is_masked_whatever_the_look_says():
    assert quiet.holds_nothing("plain zebra here", secrets._rules())
    assert "zebra" not in secrets.redact("plain zebra here", ["zebra"]).text


def hexed(text: str) -> str:
    """Write a text as 64 hex digits, as a digest is."""
    return text.ljust(32)[:32].encode().hex()


FORMS = [
    "2026-02-03T10:00:00.000000Z",
    hashlib.sha256(b"a log").hexdigest(),
    hashlib.sha256(b"another log").hexdigest(),
    "eaaa" * 16,
    "0" * 64,
    "2" * 64,
    hexed("password=hunter2hunter2"),
    hexed("token=" + FORMATS["aws-access-key"]),
]


@pytest.mark.parametrize("text", [*FORMS, *FORMATS.values(), *ORDINARY])
def test_several_texts_hold_what_one_of_them_holds(text):
    alone = bool(secrets.redact_views(Views(text)).findings)
    assert secrets.hold_any([text]) is alone
    assert secrets.hold_any(["plain", *FORMS[:3], "text", text, "\n"]) is alone


@given(st.lists(st.sampled_from([*PIECES, *FORMS]) | st.text(max_size=20), max_size=6))
@settings(max_examples=300, deadline=None)
def test_whatever_the_texts_are_one_look_spares_none_that_holds_a_secret(texts):
    alone = any(secrets.redact_views(Views(text)).findings for text in texts)
    assert secrets.hold_any(texts) is alone


def test_a_record_of_its_usual_kind_is_spared():
    texts = ["inc_9f2c", "payment-service", *ORDINARY, *FORMS[:3]]
    assert quiet.hold_nothing(texts, secrets._rules())
    assert not quiet.hold_nothing([*texts, FORMS[-1]], secrets._rules())


def test_a_value_that_the_user_named_is_found_in_any_form(monkeypatch):
    digest = FORMS[1]
    monkeypatch.setitem(secrets._named, "values", (digest,))
    assert secrets.hold_any([digest])


def test_a_secret_in_the_form_of_a_digest_is_found():
    assert [secrets.hold_any([one]) for one in FORMS[-2:]] == [True, True]
