"""Finds in a verified webhook which changes it is about; what happened is read from the forge.

Must not believe a payload beyond that, nor fetch what it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from caselore.errors import BadInput
from caselore.repair.change import ChangeRef, parse

MOST = 50  # changes that one delivery may be about
_NAMED = ("merge_request", "object_attributes", "pull_request", "issue")
_MANY = ("check_run", "check_suite", "workflow_run")


class About(NamedTuple):
    """What a delivery is about: changes, or at least a project."""

    changes: tuple[ChangeRef, ...]
    project: str
    """The project's address, with the slash that ends it; empty where none is named."""


def about(payload: Any) -> About:
    """Read the payload of any forge; what has another form is about nothing."""
    if not isinstance(payload, dict):
        return About((), "")
    found: dict[tuple[str, str, str], ChangeRef] = {}
    for text in _addresses(payload):
        try:
            ref = parse(text)
        except BadInput:
            continue
        found.setdefault(ref.key, ref)
    return About(tuple(found.values())[:MOST], _project(payload))


def _addresses(payload: dict[str, Any]) -> Iterator[str]:
    yield from _texts([payload.get("change"), payload.get("url")])
    for name in _NAMED:
        part = payload.get(name)
        if isinstance(part, dict):
            yield from _texts([part.get("html_url"), part.get("url"), part.get("web_url")])
    for name in _MANY:
        part = payload.get(name)
        listed = part.get("pull_requests") if isinstance(part, dict) else None
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict):
                yield from map(_page, _texts([one.get("html_url"), one.get("url")]))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    return (one for one in values if isinstance(one, str) and one)


def _page(address: str) -> str:
    """Give the page of a pull request for its address in GitHub's API."""
    parts = urlsplit(address)
    host = parts.netloc.removeprefix("api.")
    path = parts.path.removeprefix("/api/v3").removeprefix("/repos").replace("/pulls/", "/pull/")
    return f"{parts.scheme}://{host}{path}"


def _project(payload: dict[str, Any]) -> str:
    for name, key in (("project", "web_url"), ("repository", "html_url")):
        part = payload.get(name)
        text = part.get(key) if isinstance(part, dict) else None
        if isinstance(text, str) and text:
            return f"{text.rstrip('/')}/"
    return ""
