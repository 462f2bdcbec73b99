"""Verifies webhooks over their raw bytes: pure functions, one for each scheme.

Must not parse a body before it is verified, compare a secret in other than constant time, read a
clock, or keep what was delivered: the inbox refuses a delivery that it knows.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

WINDOW = 300.0  # seconds that a signed time may differ from ours
MOST_BYTES = 25 * 1024 * 1024  # GitHub's own limit of a payload
LEAST_SECRET = 8  # characters; a shorter one can be guessed


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a delivery is what it says, and the key under which it is kept once."""

    ok: bool
    reason: str = ""
    key: str = ""
    event: str = ""


def gitlab(
    headers: Mapping[str, str], body: bytes, secret: str, now: float, *, signing: str = ""
) -> Verdict:
    """Verify GitLab: by its signing token (Standard Webhooks) where one is set, else by its token.

    `secret` is the plain token of X-Gitlab-Token, `signing` the `whsec_…` signing token. A hook
    that has a signing token is never let in by the plain one: that would take the window away.
    """
    given = _lower(headers)
    key = given.get("idempotency-key") or given.get("x-gitlab-webhook-uuid", "")
    event = given.get("x-gitlab-event", "")
    if signing:
        told = standard(headers, body, signing, now)
        return Verdict(told.ok, told.reason, told.key or key, event)
    fault = _of_secret(secret) or _same(given.get("x-gitlab-token", ""), secret, "X-Gitlab-Token")
    return Verdict(not fault, fault, key or digest(body), event)


def standard(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> Verdict:
    """Verify a Standard Webhooks signature over `id.timestamp.body`, within the window."""
    given = _lower(headers)
    id, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not id or not at.isdigit():
        return Verdict(False, "webhook-id or webhook-timestamp is missing")
    if abs(now - float(at)) > WINDOW:
        return Verdict(False, "its time is too far from ours: an old delivery, or a wrong clock")
    key = _standard_key(secret)
    if len(key) < LEAST_SECRET:
        return Verdict(False, "no signing secret is set")
    mac = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = f"v1,{base64.b64encode(mac).decode()}"
    ok = any(_equal(one, wanted) for one in given.get("webhook-signature", "").split(" "))
    return Verdict(ok, "" if ok else "no signature of it is ours", id, "")


def github(headers: Mapping[str, str], body: bytes, secret: str) -> Verdict:
    """Verify GitHub's X-Hub-Signature-256; it signs no time, so only its key keeps replays out."""
    given = _lower(headers)
    fault = _of_secret(secret) or _same(
        given.get("x-hub-signature-256", ""),
        f"sha256={_hex(body, secret)}",
        "X-Hub-Signature-256",
    )
    key = given.get("x-github-delivery", "")
    if not fault and not key:
        fault = "X-GitHub-Delivery is missing"
    return Verdict(not fault, fault, key, given.get("x-github-event", ""))


def gitea(headers: Mapping[str, str], body: bytes, secret: str) -> Verdict:
    """Verify Gitea's or Forgejo's bare hex HMAC."""
    given = _lower(headers)
    name = "x-forgejo" if "x-forgejo-signature" in given else "x-gitea"
    fault = _of_secret(secret) or _same(
        given.get(f"{name}-signature", ""), _hex(body, secret), f"{name}-signature"
    )
    key = given.get(f"{name}-delivery", "")
    return Verdict(not fault, fault, key or digest(body), given.get(f"{name}-event", ""))


def generic(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> Verdict:
    """Verify what scripts and Buildbot send: a Standard Webhooks signature, or a bearer secret."""
    given = _lower(headers)
    if "webhook-signature" in given:
        return standard(headers, body, secret, now)
    bearer = given.get("authorization", "").removeprefix("Bearer ")
    fault = _of_secret(secret) or _same(bearer, secret, "Authorization")
    return Verdict(not fault, fault, given.get("idempotency-key") or digest(body), "")


def sign(id: str, at: int, body: bytes, secret: str) -> dict[str, str]:
    """Give the headers of a delivery of ours, by Standard Webhooks."""
    mac = hmac.new(_standard_key(secret), f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


def digest(body: bytes) -> str:
    """Give a key for a delivery that names none: the same bytes are the same delivery."""
    return hashlib.sha256(body).hexdigest()


def _standard_key(secret: str) -> bytes:
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _hex(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value.strip() for name, value in headers.items()}


def _of_secret(secret: str) -> str:
    return "" if len(secret) >= LEAST_SECRET else "no secret is set, or too short a one"


def _same(given: str, wanted: str, name: str) -> str:
    if not given:
        return f"{name} is missing"
    return "" if _equal(given, wanted) else f"{name} is not ours"


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
