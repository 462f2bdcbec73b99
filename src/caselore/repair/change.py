"""Reads the address of a merge or pull request: which forge, which project, which number.

Must not fetch anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from caselore.errors import BadInput
from caselore.guards.names import quoted

_PATHS = (
    # GitLab with and without the dash, GitHub, Gitea and Forgejo, Bitbucket
    re.compile(r"^/(?P<project>.+?)/-/merge_requests/(?P<iid>\d+)(?:/.*)?$"),
    re.compile(r"^/(?P<project>.+?)/merge_requests/(?P<iid>\d+)(?:/.*)?$"),
    re.compile(r"^/(?P<project>[^/]+/[^/]+)/pull/(?P<iid>\d+)(?:/.*)?$"),
    re.compile(r"^/(?P<project>.+?)/pulls/(?P<iid>\d+)(?:/.*)?$"),
    re.compile(r"^/(?P<project>.+?)/pull-requests/(?P<iid>\d+)(?:/.*)?$"),
)
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class ChangeRef:
    """One change: the forge's host, the project's path and the change's number in it."""

    url: str
    host: str
    project: str
    iid: str
    kind: str
    """MR or PR, as its forge calls it."""

    @property
    def label(self) -> str:
        """Give the name that people use: MR !42, PR #7."""
        return f"{self.kind} {'!' if self.kind == 'MR' else '#'}{self.iid}"

    @property
    def key(self) -> tuple[str, str, str]:
        """Give what tells this change from every other: two projects may both have a !7."""
        return self.host, self.project, self.iid

    def pipeline_url(self, id: str) -> str:
        """Give the page of a pipeline where the forge itself did not say it."""
        start = self.url.index(f"//{self.host}/") + len(self.host) + 3  # a host may name it, too
        base = self.url[: start + len(self.project)]
        if "/-/merge_requests/" in self.url:
            return f"{base}/-/pipelines/{id}"
        if self.kind == "MR":
            return f"{base}/pipelines/{id}"
        return f"{base}/actions/runs/{id}"


def parse(text: str) -> ChangeRef:
    """Read an address; what follows the number, a query or a fragment is left out.

    Raises: BadInput for what is no address of a change.
    """
    parts = _split(text.strip())
    found = next((m for one in _PATHS if (m := one.match(parts.path))), None)
    if found is None or not (parts.netloc or parts.scheme == "file"):
        raise BadInput(
            f"{quoted(text)} is no address of a merge or pull request.",
            hint="For example https://git.example/pay/-/merge_requests/42.",
        )
    host = _host(parts.netloc)
    path = parts.path[: found.end("iid")]
    kind = "MR" if "merge_requests" in path else "PR"
    return ChangeRef(
        f"{parts.scheme.lower()}://{host}{path}", host, found["project"], found["iid"], kind
    )


def _split(text: str):  # type: ignore[no-untyped-def]
    if len(text) > _LONGEST:
        raise BadInput("The address of the change is too long.")
    try:
        return urlsplit(text)
    except ValueError as error:
        raise BadInput(f"{quoted(text)} is no address: {error}.") from error


def _host(netloc: str) -> str:
    """Leave out a user and a password: they are no part of a name."""
    return netloc.rpartition("@")[2].lower()
