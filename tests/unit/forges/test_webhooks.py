"""Which deliveries are let in: each scheme, each way to get it wrong."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.forges import webhooks

NOW = 1_800_000_000
SECRET = "hook-secret-1"
SIGNING = "whsec_" + base64.b64encode(b"k" * 24).decode()
BODY = b'{"object_kind": "pipeline"}'
HEX = hmac.new(SECRET.encode(), BODY, hashlib.sha256).hexdigest()
STANDARD = webhooks.sign("msg_1", NOW, BODY, SIGNING)

LET_IN = [
    ("gitlab token", webhooks.gitlab({"X-Gitlab-Token": SECRET, "Idempotency-Key": "k1", "X-Gitlab-Event": "Job Hook"}, BODY, SECRET, NOW), "k1", "Job Hook"),
    ("gitlab signing", webhooks.gitlab({**STANDARD, "X-Gitlab-Event": "Pipeline Hook"}, BODY, "", NOW, signing=SIGNING), "msg_1", "Pipeline Hook"),
    ("github", webhooks.github({"X-Hub-Signature-256": f"sha256={HEX}", "X-GitHub-Delivery": "d1", "X-GitHub-Event": "workflow_run"}, BODY, SECRET), "d1", "workflow_run"),
    ("gitea", webhooks.gitea({"X-Gitea-Signature": HEX, "X-Gitea-Delivery": "g1", "X-Gitea-Event": "status"}, BODY, SECRET), "g1", "status"),
    ("forgejo", webhooks.gitea({"X-Forgejo-Signature": HEX, "X-Forgejo-Delivery": "f1", "X-Forgejo-Event": "push"}, BODY, SECRET), "f1", "push"),
    ("generic bearer", webhooks.generic({"Authorization": f"Bearer {SECRET}"}, BODY, SECRET, NOW), webhooks.digest(BODY), ""),
    ("generic signed", webhooks.generic(STANDARD, BODY, SIGNING, NOW), "msg_1", ""),
    ("one of two signatures", webhooks.standard({**STANDARD, "webhook-signature": "v1,AAAA " + STANDARD["webhook-signature"]}, BODY, SIGNING, NOW), "msg_1", ""),
    ("the rim of the window", webhooks.standard(STANDARD, BODY, SIGNING, NOW + 300), "msg_1", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "found", "key", "event"), LET_IN, ids=[one[0] for one in LET_IN])
def test_what_is_signed_as_agreed_is_let_in_with_its_key(name, found, key, event):
    assert (found.ok, found.reason, found.key, found.event) == (True, "", key, event)


KEPT_OUT = [
    ("gitlab, no token", webhooks.gitlab({}, BODY, SECRET, NOW), "missing"),
    ("gitlab, other token", webhooks.gitlab({"X-Gitlab-Token": SECRET + "x"}, BODY, SECRET, NOW), "not ours"),
    ("gitlab, nothing set", webhooks.gitlab({"X-Gitlab-Token": ""}, BODY, "", NOW), "no secret"),
    ("gitlab, plain token where one signs", webhooks.gitlab({"X-Gitlab-Token": SECRET}, BODY, SECRET, NOW, signing=SIGNING), "missing"),
    ("standard, other body", webhooks.standard(STANDARD, BODY + b" ", SIGNING, NOW), "no signature"),
    ("standard, old", webhooks.standard(STANDARD, BODY, SIGNING, NOW + 301), "too far"),
    ("standard, from the future", webhooks.standard(STANDARD, BODY, SIGNING, NOW - 301), "too far"),
    ("standard, other id", webhooks.standard({**STANDARD, "webhook-id": "msg_2"}, BODY, SIGNING, NOW), "no signature"),
    ("standard, other time", webhooks.standard({**STANDARD, "webhook-timestamp": str(NOW - 1)}, BODY, SIGNING, NOW), "no signature"),
    ("standard, no time", webhooks.standard({**STANDARD, "webhook-timestamp": "now"}, BODY, SIGNING, NOW), "missing"),
    ("standard, broken secret", webhooks.standard(STANDARD, BODY, "whsec_%%%", NOW), "no signing secret"),
    ("github, sha1", webhooks.github({"X-Hub-Signature": "sha1=00", "X-GitHub-Delivery": "d"}, BODY, SECRET), "missing"),
    ("github, no scheme", webhooks.github({"X-Hub-Signature-256": HEX, "X-GitHub-Delivery": "d"}, BODY, SECRET), "not ours"),
    ("github, no delivery", webhooks.github({"X-Hub-Signature-256": f"sha256={HEX}"}, BODY, SECRET), "X-GitHub-Delivery"),
    ("github, short secret", webhooks.github({"X-Hub-Signature-256": "x", "X-GitHub-Delivery": "d"}, BODY, "x"), "too short"),
    ("gitea, prefix", webhooks.gitea({"X-Gitea-Signature": f"sha256={HEX}"}, BODY, SECRET), "not ours"),
    ("gitea, not text", webhooks.gitea({"X-Gitea-Signature": "\u00e9\ud800"}, BODY, SECRET), "not ours"),
    ("generic, none", webhooks.generic({}, BODY, SECRET, NOW), "missing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "found", "words"), KEPT_OUT, ids=[one[0] for one in KEPT_OUT])
def test_anything_else_is_kept_out_and_says_why(name, found, words):
    assert not found.ok
    assert words in found.reason


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 255))
def test_law_one_changed_byte_of_body_or_signature_is_kept_out(body, at, value):
    signed = webhooks.sign("m", NOW, body, SIGNING)
    changed = bytearray(body)
    if changed:
        changed[at % len(changed)] ^= value or 1
        assert not webhooks.standard(signed, bytes(changed), SIGNING, NOW).ok
    told = bytearray(signed["webhook-signature"].encode())
    told[at % len(told)] = (told[at % len(told)] + 1) % 128 or 65
    spoilt = {**signed, "webhook-signature": told.decode("ascii")}
    assert not webhooks.standard(spoilt, body, SIGNING, NOW).ok
    assert webhooks.standard(signed, body, SIGNING, NOW).ok
