"""Reads parts of exported rows, which anybody may have changed on the way: times, numbers, flags.

Must not take a value that has another form than the one in which it is exported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from caselore.errors import BadInput
from caselore.guards.names import quoted
from caselore.memory.encoding import stamp, unstamp

LARGEST = 2**53  # beyond it readers of JSON do not agree on a number


@contextmanager
def exported() -> Iterator[None]:
    """Read a row within: what it lacks, or says in another form, is a BadInput."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadInput(f"not an exported record: {type(error).__name__} {error}") from error


def moment(value: object) -> datetime:
    """Read a time with its zone. Raises BadInput for one that has none, or is no time in UTC."""
    if not isinstance(value, str):
        raise BadInput(f"not an exported record: {quoted(value)} is no time")
    at = unstamp(value)
    if at.tzinfo is None:
        raise BadInput(f"not an exported record: {quoted(value)} names no time zone")
    stamp(at)  # what is no time in UTC cannot be kept
    return at


def time(value: object) -> str:
    """Read a time as it is kept. Raises BadInput."""
    return stamp(moment(value))


def must_count(*values: object) -> None:
    """Raise BadInput for what is no number of lines or bytes."""
    for one in values:
        if type(one) is not int or not 0 <= one < LARGEST:
            raise BadInput(f"not an exported record: {quoted(one)} is no number of lines or bytes")


def must_be_a_flag(value: object) -> None:
    """Raise BadInput for what is neither true nor false."""
    if not isinstance(value, bool):
        raise BadInput(f"not an exported record: {quoted(value)} is neither true nor false")
