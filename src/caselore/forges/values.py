"""What a forge says, as frozen values in the shape that `repair.ports` describes.

Must not map a status to a verdict: the words of each forge are passed on as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from caselore.errors import ForgeGarbled

LEFT_OUT = "[caselore: left out by the forge: too large, or no text]\n"
"""Stands in a diff for the change of a file that a forge does not show."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one job."""

    id: str
    name: str
    stage: str = ""
    status: str = ""
    allow_failure: bool = False
    failure_reason: str = ""
    pipeline: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One pipeline with its jobs; those of child pipelines stand among them."""

    id: str
    sha: str
    ref: str = ""
    tag: bool = False
    source: str = ""
    status: str = ""
    run: str = ""
    created_at: str = ""
    url: str = ""
    config_error: str = ""
    jobs: tuple[Job, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A merge or pull request as the forge has it now."""

    url: str
    project: str
    project_id: str
    iid: str
    title: str = ""
    state: str = "opened"
    head: str = ""
    branch: str = ""
    target: str = ""
    pusher: str = ""
    merge_sha: str = ""


class AnyJob(Protocol):
    """A job as the loop hands it back."""

    @property
    def id(self) -> str: ...
    @property
    def pipeline(self) -> str: ...


class AnyChange(Protocol):
    """A change as the loop hands it back."""

    @property
    def project(self) -> str: ...
    @property
    def project_id(self) -> str: ...
    @property
    def iid(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def branch(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def merge_sha(self) -> str: ...


def row(value: Any, where: str) -> dict[str, Any]:
    """Take a JSON object. Raises: ForgeGarbled for anything else."""
    if not isinstance(value, dict):
        raise ForgeGarbled(f"{where} is no object in what the forge answered.")
    return value


def rows(value: Any, where: str) -> list[dict[str, Any]]:
    """Take a list of JSON objects. Raises: ForgeGarbled for anything else."""
    if not isinstance(value, list):
        raise ForgeGarbled(f"{where} is no list in what the forge answered.")
    return [row(one, where) for one in value]


def word(value: dict[str, Any], *path: str, needed: bool = False) -> str:
    """Give a text or a number along a path as text; empty where it is not there.

    Raises: ForgeGarbled where it is needed and missing, or of another kind.
    """
    found: Any = value
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    if isinstance(found, bool) or not isinstance(found, (str, int, float, type(None))):
        raise ForgeGarbled(f"{'.'.join(path)} is no text in what the forge answered.")
    said = "" if found is None else str(found)
    if needed and not said:
        raise ForgeGarbled(f"{'.'.join(path)} is missing in what the forge answered.")
    return said


def same(value: dict[str, Any], name: str, asked: str) -> None:
    """Hold an answer to the question. Raises: ForgeGarbled for what is about something else."""
    told = word(value, name)
    if told != asked:
        raise ForgeGarbled(
            f"The forge answers about {name} {told[:40]!r} where {asked!r} was asked."
        )


def flag(value: dict[str, Any], name: str) -> bool:
    """Give a yes or no; what is not there is a no."""
    return value.get(name) is True
