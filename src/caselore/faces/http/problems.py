"""Gives every error the one body and status that callers of the HTTP face see.

Must not invent a message: the error tree holds them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from caselore.errors import CaseloreError, Problem, problem
from caselore.guards.secrets import redact

STATUS: Mapping[str, int] = {
    "wrong_use": 400,
    "bad_input": 422,
    "too_large": 413,
    "ambiguous": 409,
    "conflict": 409,
    "refused": 403,
    "unidentified": 401,
    "gate_refused": 403,
    "guard_refused": 409,
    "not_green": 422,
    "not_found": 404,
    "unavailable": 503,
    "store_busy": 503,
    "store_full": 507,
    "store_read_only": 503,
    "store_too_new": 503,
    "store_damaged": 503,
}
_BY_STATUS = {
    404: ("not_found", "There is no such address.", "See /openapi.json for those that there are."),
    405: ("wrong_use", "This address does not take that method.", "See /openapi.json."),
    413: ("too_large", "The request is larger than what is taken at once.", "Send less of it."),
}


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Give a JSON answer, in ASCII, so that nothing on the way can misread it."""
    text = json.dumps(document, separators=(",", ":"))
    return Response(text, status, dict(headers or {}), "application/json")


def refusal(found: Problem, status: int | None = None) -> Response:
    """Give an error's answer; what was sent may stand in a message, so secrets are masked."""
    number = status or STATUS.get(found.code, 500)
    extra = {"WWW-Authenticate": "Bearer"} if number == 401 else {}
    if number == 503:
        extra["Retry-After"] = "2"
    return answer(masked(found).to_json(), number, extra)


def masked(found: Problem) -> Problem:
    """Give an error without the secrets that its words may repeat."""
    return replace(found, message=redact(found.message).text, hint=redact(found.hint).text)


def of_error(error: BaseException) -> Response:
    """Map any error of ours, or a fault, to its answer."""
    return refusal(problem(error))


def of_status(status: int) -> Problem:
    """Give the error of a status that the framework chose."""
    code, message, hint = _BY_STATUS.get(
        status, ("wrong_use", "The request cannot be read.", "See /openapi.json for its form.")
    )
    return Problem(code, message, hint, 2)


def of_form(error: RequestValidationError) -> Problem:
    """Say which fields have the wrong form, and how."""
    hint = "See /openapi.json for the form of each request."
    return masked(Problem("bad_input", wrong(error.errors()), hint, 2))


def wrong(errors: Sequence[Any]) -> str:
    """Tell in a sentence which fields have the wrong form, and how."""
    said = []
    for one in errors[:5]:
        place = ".".join(str(part) for part in one["loc"] if part not in {"body", "query"})
        said.append(f"{place or 'the body'}: {one['msg'].removeprefix('Value error, ')}")
    return "; ".join(said)[:2000] + "."


Shown = Callable[[Request, Problem, int], Response]


def handle(web: FastAPI, shown: Shown) -> None:
    """Let every error leave in the one form, or as `shown` gives it to a person's browser."""

    def turn(request: Request, error: Exception) -> Response:
        if isinstance(error, RequestValidationError):
            found, status = of_form(error), 422
        elif isinstance(error, HTTPException):
            found, status = of_status(error.status_code), error.status_code
        else:
            found = masked(problem(error))
            status = STATUS.get(found.code, 500)
        return shown(request, found, status)

    for kind in (RequestValidationError, HTTPException, CaseloreError, OSError, Exception):
        web.add_exception_handler(kind, turn)
