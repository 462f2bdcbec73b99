"""Takes what forges send: verified first, then kept as a hint of where to look.

Must not act on what a delivery says: the watcher reads the forge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from caselore.errors import NotFound, Unidentified
from caselore.forges import webhooks
from caselore.memory.loops import Hint
from caselore.repair import hints
from caselore.repair.account import id_of
from caselore.settings import Settings
from caselore.wiring.app import App

KINDS = ("gitlab", "github", "gitea", "generic")


def hear(app: App, kind: str, headers: Mapping[str, str], body: bytes) -> int:
    """Keep a delivery as hints, once; give how many changes it is about.

    Raises: NotFound for a kind that is none; Unidentified where the delivery proves nothing.
    """
    if kind not in KINDS:
        raise NotFound(f"There is no hook {kind!r}.", hint=f"There are: {', '.join(KINDS)}.")
    now = app.now()
    told = verdict(app.settings, kind, headers, body, now.timestamp())
    if not told.ok:
        raise Unidentified(f"This delivery is not proven: {told.reason}.", hint=_HINT)
    found = hints.about(_parsed(body))
    ids = [id_of(one) for one in found.changes] or _of_project(app, found.project)
    kept = ids or [""]
    app.memory.hear([Hint(kind, f"{told.key} {id}".strip(), id, now) for id in kept])
    return len(ids)


_HINT = "Set the hook's secret in CASELORE_HOOK_SECRET, and the same in the forge."


def verdict(
    settings: Settings, kind: str, headers: Mapping[str, str], body: bytes, now: float
) -> webhooks.Verdict:
    """Say whether a delivery is what it says."""
    secret = settings.hook_secrets.get(kind) or settings.hook_secrets.get("", "")
    if kind == "gitlab":
        signing = secret if secret.startswith("whsec_") else ""
        return webhooks.gitlab(headers, body, secret, now, signing=signing)
    if kind == "generic":
        return webhooks.generic(headers, body, secret, now)
    verify = webhooks.github if kind == "github" else webhooks.gitea
    return verify(headers, body, secret)


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _of_project(app: App, project: str) -> list[str]:
    """Give the live changes of a project, where a delivery names no change of it."""
    if not project:
        return []
    rows = app.memory.loop_changes("live", "", 1_000)
    return [row.id for row in rows if row.url.startswith(project)][: hints.MOST]
