"""What every command does first and last: open the application, print the answer.

Must not know any command.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from caselore import settings, wiring
from caselore.faces.terminal import Paper


@contextmanager
def opened(bank: str | None = None) -> Iterator[wiring.App]:
    """Build the application for one command and close it after."""
    with wiring.build(settings.load(bank=bank)) as app:
        yield app


def shapes() -> ModuleType:
    """Give the JSON shapes; they bring the memory along, which `--help` has no time for."""
    from caselore.wiring import documents  # noqa: PLC0415

    return documents


def answer(
    as_json: bool, document: Mapping[str, Any], lines: Callable[[Paper], list[str]]
) -> None:
    """Print one answer: the document as one line of JSON, or lines for a person."""
    if as_json:
        write_json(document)
        return
    print("\n".join(lines(paper())))


def paper() -> Paper:
    """Measure standard output."""
    return Paper.of(sys.stdout, no_color=settings.colourless())


def write_json(document: Mapping[str, Any]) -> None:
    """Write one object on one line, at once; in ASCII, so that no terminal obeys it."""
    sys.stdout.write(json.dumps(document, separators=(", ", ": ")) + "\n")
    sys.stdout.flush()
