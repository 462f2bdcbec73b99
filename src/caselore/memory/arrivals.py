"""Reads the lines of an import: closed incidents and exported records, each as one arrival.

Must not write: what arrives was only read, and a line that cannot be read says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.memory import tombstones
from caselore.memory.closed import Screen, Sign, read_closed
from caselore.memory.encoding import Body, incident_body
from caselore.memory.exhibit_transfer import is_exhibit_row
from caselore.memory.exports import Said, read_exported, texts_in
from caselore.memory.groups import is_grouping_row
from caselore.memory.records import Incident
from caselore.memory.writing import identity

LINE_LIMIT = 2_000_000  # characters of one line


class Unreadable(NamedTuple):
    """A line that holds no row, and why."""

    reason: str


class Arrival(NamedTuple):
    """A line, read: an incident with what was said of it, not yet written."""

    id: str
    known_as: str
    service: str
    log_digest: str
    incident: Callable[[], Body]
    """Gives it as it is kept, signed."""
    happened_at: datetime | None
    sources: tuple[str, ...]
    findings: tuple[str, ...]
    origin: Body
    said: tuple[Said, ...]
    new_id: str = ""
    """Its id here if it is new and brings none."""


def read_lines(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Any]]:
    """Give each line of a JSONL file with its number; what is no JSON comes as Unreadable."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _read_line(line)


def _read_line(line: str | bytes) -> Any:
    if len(line) > LINE_LIMIT:
        return Unreadable(f"the line has {len(line):,} characters; the limit is {LINE_LIMIT:,}")
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line.removeprefix("\ufeff")
        return _READER.decode(text)
    except UnicodeDecodeError as error:
        return Unreadable(f"not UTF-8 at byte {error.start + 1}")
    except RecursionError:
        return Unreadable("nested too deeply")
    except ValueError as error:
        return Unreadable(f"not JSON: {error}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


_READER = json.JSONDecoder(parse_constant=_no_constant)


def weight(row: Any) -> int:
    """Give about how many characters a row holds."""
    if not isinstance(row, dict):
        return 0
    values = texts_in([row]) if "caselore" in row else row.values()
    return sum([len(one) for one in values if isinstance(one, str)])


def read(row: Any, screen: Screen, sign: Sign, now: datetime) -> Arrival | dict[str, Any]:
    """Read a row; one that is no incident comes as it is. Raises BadInput with the reason."""
    if isinstance(row, Unreadable):
        raise BadInput(row.reason)
    if not isinstance(row, dict):
        raise BadInput(f"the line is no JSON object but {type(row).__name__}")
    if "caselore" in row:
        of_own_kind = (is_exhibit_row, is_grouping_row, tombstones.is_tombstone_row)
        as_it_is = any(fits(row) for fits in of_own_kind)
        return row if as_it_is else _exported(*read_exported(row))
    closed = read_closed(row, screen, now)
    return Arrival(
        "",
        closed.known_as,
        closed.facts["service"],
        closed.log_digest,
        partial(closed.incident, sign),
        closed.happened_at,
        (),
        closed.findings,
        {},
        (Said(closed.verdict, closed.body),) if closed.verdict else (),
    )


def _exported(
    id: str, incident: Incident, happened_at: datetime, *rest: *tuple[Any, ...]
) -> Arrival:
    key, service, log = identity(incident), incident.service, incident.log_digest
    return Arrival(id, key, service, log, partial(incident_body, incident), happened_at, *rest)
