"""Reads the JSON that the intelligence commands are given.

Must not judge what it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from caselore.errors import BadInput
from caselore.faces.cli import inputs

AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="D", help="As of this day or time: 2026-10-03.")
]
File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="JSON, one object or one a line; - is stdin."),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A competitor, by any of its names.")]


def objects(file: str) -> list[Any]:
    """Read one JSON value, a list of them, or one a line. Raises BadInput."""
    with inputs.log_file(file) as source:
        text = source.read().decode("utf-8-sig", "replace")
    try:
        value = json.loads(text)
        found = value if isinstance(value, list) else [value]
    except ValueError:
        found = list(_lines(file, text))
    except RecursionError:
        raise BadInput(f"{file} is nested too deep to be read.") from None
    if not found:
        raise BadInput(f"{file} holds nothing")
    return found


def _lines(file: str, text: str) -> Iterator[Any]:
    # only a line feed ends a line: JSON may hold the separators of Unicode as they are
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadInput(f"{file} is no JSON in line {number}: {error}") from error
            except RecursionError:
                raise BadInput(f"{file} is nested too deep in line {number}.") from None
