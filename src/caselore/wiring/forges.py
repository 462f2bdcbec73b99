"""Chooses the forge of a host: its adapter, its address, and the token that it is sent.

Must not send a token to a host that neither the home's caselore.toml, the running CI nor this
table names.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from caselore.errors import Unavailable, WrongUse
from caselore.settings import Settings, nearest, passed_on

if TYPE_CHECKING:
    from caselore.repair.ports import Forge

KINDS = ("gitlab", "github", "gitea", "forgejo", "buildbot")
PUBLIC = {"gitlab.com": "gitlab", "github.com": "github", "codeberg.org": "forgejo"}
TOKENS = {
    "gitlab": ("GITLAB_TOKEN", "CI_JOB_TOKEN"),
    "github": ("GITHUB_TOKEN", "GH_TOKEN"),
    "gitea": ("GITEA_TOKEN", "FORGEJO_TOKEN"),
    "buildbot": (),
}
_KEYS = ("kind", "api", "token_env", "also")
# What a job of a local CI may see: enough to find its tools, and nothing that opens a door.
_JOB_SEES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "VIRTUAL_ENV")
_LOGS = {"github.com": frozenset({".blob.core.windows.net", ".actions.githubusercontent.com"})}


@dataclass(frozen=True, slots=True)
class Place:
    """A forge of one host, as the settings name it."""

    host: str
    kind: str
    api: str
    token: str
    also: frozenset[str]


def forge_of(settings: Settings, url: str, clock: Callable[[], datetime]) -> Forge:
    """Give the forge of an address: of a change, or of the server itself.

    Raises: Unavailable where none is set up for its host; WrongUse for a setting that is none.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        from caselore.forges.local import Local  # noqa: PLC0415

        return Local(clock, passed_on(_JOB_SEES))
    return _adapter(place_of(settings, parts.scheme, parts.netloc.rpartition("@")[2].lower()))


def place_of(settings: Settings, scheme: str, host: str) -> Place:
    """Find how a host is spoken to. Raises: Unavailable, WrongUse."""
    told = settings.forges.get(host)
    kind = told.get("kind", "") if isinstance(told, Mapping) else _known(host)
    if not kind:
        raise Unavailable(
            f"No forge is set up for {host}; nothing was sent to it.",
            hint=f'Write [forge."{host}"] with kind = "gitlab" (or {", ".join(KINDS[1:])}) '
            "into the caselore.toml of your home folder.",
        )
    given = told if isinstance(told, Mapping) else {}
    _check(host, given, kind)
    if scheme != "https" and not _loopback(host):
        raise WrongUse(f"{host} would get the token unencrypted.", hint="Use its https address.")
    names = [given["token_env"]] if given.get("token_env") else TOKENS[_family(kind)]
    found = passed_on(names)
    return Place(
        host=host,
        kind=_family(kind),
        api=str(given.get("api") or _api(scheme, host, kind)),
        token=next((found[name] for name in names if found.get(name)), ""),
        also=frozenset(given.get("also") or _LOGS.get(host) or ()),
    )


def token_names(settings: Settings) -> frozenset[str]:
    """Name the variables that hold tokens of forges: the usual ones, and those of the settings."""
    usual = {name for names in TOKENS.values() for name in names}
    tables = (one for one in settings.forges.values() if isinstance(one, Mapping))
    return frozenset(usual | {str(one["token_env"]) for one in tables if one.get("token_env")})


def _known(host: str) -> str:
    """Name the kind of a public forge, or of the one whose CI job this is."""
    ci = passed_on(("CI_SERVER_HOST", "GITHUB_SERVER_URL"))
    if host == ci.get("CI_SERVER_HOST", "").lower():
        return "gitlab"
    if host == urlsplit(ci.get("GITHUB_SERVER_URL", "")).netloc.lower():
        return "github"
    return PUBLIC.get(host, "")


def _check(host: str, given: Mapping[str, Any], kind: str) -> None:
    for key in given:
        if key not in _KEYS:
            raise WrongUse(f"[forge.{host}] has no {key!r}.", hint=nearest(key, _KEYS))
    if kind not in KINDS:
        raise WrongUse(f"[forge.{host}] kind {kind!r} is none.", hint=nearest(str(kind), KINDS))


def _family(kind: str) -> str:
    return "gitea" if kind == "forgejo" else kind


def _api(scheme: str, host: str, kind: str) -> str:
    if host == "github.com":
        return "https://api.github.com"
    path = {"gitlab": "/api/v4", "github": "/api/v3", "buildbot": "/api/v2"}.get(kind, "/api/v1")
    return f"{scheme}://{host}{path}"


def _loopback(host: str) -> bool:
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _adapter(place: Place) -> Forge:
    from caselore.forges.transport import Transport  # noqa: PLC0415 - httpx, only where it is used

    transport = Transport(place.api, _headers(place), place.also)
    if place.kind == "gitlab":
        from caselore.forges.gitlab import GitLab  # noqa: PLC0415

        return GitLab(transport)
    if place.kind == "github":
        from caselore.forges.github import GitHub  # noqa: PLC0415

        return GitHub(transport)
    if place.kind == "gitea":
        from caselore.forges.gitea import Gitea  # noqa: PLC0415

        return Gitea(transport)
    from caselore.forges.buildbot import Buildbot  # noqa: PLC0415

    return Buildbot(transport)


def _headers(place: Place) -> dict[str, str]:
    if place.kind == "github":
        found = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return {**found, "Authorization": f"Bearer {place.token}"} if place.token else found
    if not place.token:
        return {}
    if place.kind == "gitea":
        return {"Authorization": f"token {place.token}"}
    return {"Authorization": f"Bearer {place.token}"}
