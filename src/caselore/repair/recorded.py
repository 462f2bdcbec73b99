"""Reads recorded observations, one JSON object a line, as a history that can be told again.

Must not judge or repair: a line that cannot be understood is refused with its number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards.names import quoted
from caselore.repair.change import ChangeRef, parse
from caselore.repair.observations import (
    AfterMerge,
    Error,
    Fate,
    Observation,
    Reading,
    Rearm,
    Receipt,
    Target,
    Trouble,
    Worker,
)
from caselore.repair.observations import Outcome as Ended
from caselore.repair.pipelines import Job, Pipeline

_SUBJECTS = ("refs/merge-requests/", "refs/pull/")
_OPENED = frozenset({"opened", "open", "reopened", "locked"})
# Nesting without end, and times and numbers that no calendar or counter holds, among them.
_NOT_UNDERSTOOD = (
    BadInput, ValueError, TypeError, AttributeError, RecursionError, OverflowError
)  # fmt: skip


class Told(NamedTuple):
    """One observation and the change that it is of."""

    change: ChangeRef
    seen: Observation


def read(lines: Iterable[bytes | str]) -> Iterator[Told]:
    """Read a recording. Raises: BadInput for a line that is no observation."""
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        text = text.strip().removeprefix("\ufeff")
        if text:
            try:
                yield from _line(_object(text))
            except _NOT_UNDERSTOOD as error:
                raise BadInput(f"Line {number} is no observation: {error}") from error


def _object(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise BadInput("it is no JSON object")
    return found


def _line(row: Mapping[str, Any]) -> Iterator[Told]:
    if not isinstance(row.get("change"), str):
        raise BadInput("it names no change")
    change, at = parse(_text(row["change"])), _time(row.get("at"))
    seen = list(_observations(row, at))
    if not seen:
        raise BadInput("it says nothing that the loop knows")
    return (Told(change, one) for one in seen)


def _time(value: object) -> datetime:
    if not isinstance(value, str):
        raise BadInput("it has no time `at`")
    at = datetime.fromisoformat(value.strip())
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _observations(row: Mapping[str, Any], at: datetime) -> Iterator[Observation]:
    if "target" in row:
        target = row["target"] or {}
        failed = [_text(one) for one in target.get("failed_fingerprints") or ()]
        yield Target(at, _text(target.get("sha")), tuple(failed))
    if "worker" in row:
        yield Worker(at, _alive(row["worker"]))
    if "receipt" in row:
        yield _receipt(row["receipt"], at)
    if "error" in row:
        yield Error(at, _trouble(row["error"]))
    if "head" in row or "pipeline" in row:
        yield _pipeline_seen(row, at)
    if "state" in row:
        yield Fate(at, _fate(row["state"]), _text(row.get("merge_sha")))
    if "rearm" in row:
        rearm = row["rearm"] or {}
        yield Rearm(at, _text(rearm.get("by")), _text(rearm.get("why")))


def _pipeline_seen(row: Mapping[str, Any], at: datetime) -> Observation:
    ref, given = _text(row.get("ref")), row.get("pipeline")
    pipeline = _pipeline(given, ref) if given else None
    after = ref and not row.get("head") and not ref.startswith(_SUBJECTS)
    if after and pipeline is not None:
        return AfterMerge(at, ref, pipeline, bool(row.get("tag")) or pipeline.tag)
    return Reading(at, _text(row.get("head")), _text(row.get("pusher")), pipeline)


def _pipeline(row: Mapping[str, Any], ref: str) -> Pipeline:
    jobs = row.get("jobs") or ()
    superseded = row.get("superseded") or row.get("auto_canceled_by")
    return Pipeline(
        id=_text(row.get("id")),
        sha=_text(row.get("sha")),
        status=_status(row),
        source=_word(row.get("source")),
        ref=_text(row.get("ref")) or ref,
        tag=bool(row.get("tag")),
        run=_text(row.get("run") or row.get("run_attempt")),
        created_at=_text(row.get("created_at")),
        url=_text(row.get("url") or row.get("web_url")),
        config_error=_text(row.get("config_error") or row.get("yaml_errors")),
        superseded=bool(superseded),
        doubts=tuple(_text(one) for one in row.get("doubts") or ()),
        jobs=tuple(_job(one, place) for place, one in enumerate(jobs)),
    )


def _job(row: Mapping[str, Any], place: int) -> Job:
    name = _text(row.get("name"))
    return Job(
        id=_text(row.get("id")) or f"{name}#{place}",
        name=name,
        status=_status(row),
        allow_failure=row.get("allow_failure") is True,
        failure_reason=_word(row.get("failure_reason")),
        fingerprint=_text(row.get("fingerprint")),
        pipeline=_text(row.get("pipeline")),
        retried=bool(row.get("retried")),
        flaky=bool(row.get("flaky")),
        url=_text(row.get("url") or row.get("web_url")),
    )


def _status(row: Mapping[str, Any]) -> str:
    """Give the status; of a run that is completed, what it ended with."""
    status, ended = _word(row.get("status")), _word(row.get("conclusion"))
    return ended if ended and status in ("completed", "") else status


def _word(value: object) -> str:
    return _text(value).strip().lower().replace("-", "_").replace(" ", "_")


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if not isinstance(value, str | int | float):
        raise BadInput(f"{quoted(str(value))} stands where a text or a number belongs")
    # Half of a surrogate pair is valid in JSON, but can be neither hashed nor printed.
    return str(value).encode("utf-8", "replace").decode()


def _alive(value: object) -> bool:
    if value not in ("alive", "dead"):
        raise BadInput("a worker is alive or dead")
    return value == "alive"


def _trouble(value: object) -> Trouble:
    """Read why the forge could not be read; a kind that is not known is an error of its API."""
    word = _word(value)
    known = {one.value: one for one in Trouble}
    return known.get(word, Trouble.API)


def _fate(value: object) -> str:
    word = _word(value)
    if word not in _OPENED | {"merged", "closed"}:
        raise BadInput(f"{quoted(word)} is no state of a change")
    return "opened" if word in _OPENED else word


def _receipt(row: Mapping[str, Any], at: datetime) -> Receipt:
    return Receipt(
        at,
        _text(row.get("event")),
        Ended(_word(row.get("outcome"))),
        int(row.get("cost") or 0),
        _text(row.get("summary")),
    )
