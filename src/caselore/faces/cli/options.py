"""The options that several commands share, so that each is spelled and explained once.

Must not read anything: only declarations.
"""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, nothing else.")]
Bank = Annotated[
    str | None,
    typer.Option("--bank", metavar="NAME", help="The memory to use; default 'default'."),
]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, kept in the ledger.")]
Incident = Annotated[
    str, typer.Argument(metavar="INCIDENT", help="An id, its beginning, or a deployment: 1057.")
]
Log = Annotated[str, typer.Argument(metavar="LOG", help="A log file; - is standard input.")]
Cause = Annotated[str, typer.Option("--cause", metavar="TEXT", help="What made it fail.")]
Resolution = Annotated[
    str, typer.Option("--resolution", metavar="TEXT", help="What was done about it.")
]
Service = Annotated[
    str | None, typer.Option("--service", metavar="NAME", help="The service that the job is for.")
]
Green = Annotated[
    str | None, typer.Option("--green", metavar="FILE", help="A passing log of the same job.")
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="DATE", help="Only from this day or time on: 2026-11-01."),
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="PROVIDER:NAME, to phrase it.")
]
NoModel = Annotated[bool, typer.Option("--no-model", help="Never ask a model.")]
