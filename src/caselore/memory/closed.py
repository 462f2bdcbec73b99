"""Reads the twelve fields of a closed incident, strictly, each refusal with its reason.

Must not store, guess or repair: a row is taken as it is or refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from caselore.errors import BadInput
from caselore.guards import names, secrets
from caselore.guards.names import quoted
from caselore.memory.encoding import Body, signed_body, stamp
from caselore.memory.records import (
    BLOCK_LIMIT,
    NAME_LIMIT,
    Result,
    Signed,
    must_be_kept,
    prose,
    short,
)
from caselore.memory.writing import outcome_body, proposal_body, run_key

CHECKS: dict[str, Callable[[str], str]] = {
    "service": names.check_service,
    "environment": names.check_environment,
    "branch": names.check_branch,
    "commit": names.check_commit,
    "deployment": names.check_deployment,
    "stage": names.check_stage,
}
"""The rule of each name of a run: the same as that of the command line."""

Sign = Callable[[str], Signed]
Screen = Callable[[str], tuple[str, tuple[str, ...]]]
"""Gives a text without its secrets, and the rules of what a guard found in it."""

WORDS: dict[str, Result] = {
    **dict.fromkeys(
        ("succeeded", "success", "successful", "resolved", "fixed", "worked", "solved", "passed"),
        "succeeded",
    ),
    **dict.fromkeys(
        ("failed", "failure", "unsuccessful", "unresolved", "did not work", "not fixed"), "failed"
    ),
}
READ = frozenset(
    (
        *("deployment_id", "service", "branch", "environment", "commit", "error", "root_cause"),
        *("resolution", "outcome", "related_historical_incident", "confirmed_by"),
        *("confirmed_at", "occurred_at", "stage", "url", "title", "why_failed", "proof"),
    )
)
MOST_ATTRIBUTES = 30
OLDEST = datetime(1990, 1, 1, tzinfo=UTC)


class Closed(NamedTuple):
    """A row as an incident and what follows it: a confirmation, a proposal, or nothing."""

    facts: Body
    """The incident as it is kept but for its signature, which takes the longest to find."""
    happened_at: datetime | None
    findings: tuple[str, ...]
    verdict: str
    body: Body

    @property
    def known_as(self) -> str:
        """Give the key by which the same failure is seen again."""
        return run_key(self.facts["service"], self.facts["deployment"], self.log_digest)

    @property
    def log_digest(self) -> str:
        """Give the digest of the error as it came."""
        return str(self.facts["log_digest"])

    def incident(self, sign: Sign) -> Body:
        """Give the incident as it is kept, signed. Raises BadInput."""
        signature = signed_body(sign(self.facts["block"]))
        must_be_kept(self.facts)
        return {**self.facts, "signature": signature}


def read_closed(row: Mapping[str, Any], screen: Screen, now: datetime) -> Closed:
    """Read one row. Raises BadInput with the reason."""
    screened = _Screened(row, screen)
    facts = _facts(row, screened)
    confirmed = _date(row, "confirmed_at", now)
    happened = _date(row, "occurred_at", now)
    verdict, body = _verdict(row, screened, confirmed)
    return Closed(facts, happened or confirmed, tuple(screened.findings), verdict, body)


class _Screened:
    """A row's long texts, each passed through the guards once."""

    def __init__(self, row: Mapping[str, Any], screen: Screen) -> None:
        self._row, self._screen = row, screen
        self.findings: dict[str, None] = {}

    def text(self, name: str) -> str:
        value = _given(self._row, name)
        return self.clean(_shown(name, prose(name, value))) if value != "" else ""

    def clean(self, text: str) -> str:
        masked, found = self._screen(text) if text else ("", ())
        if found:
            self.findings.update(dict.fromkeys(found))
        return masked


def _shown(label: str, text: str) -> str:
    if "\0" in text:
        raise BadInput(f"{label} holds a NUL character")
    return text


def _given(row: Mapping[str, Any], name: str) -> Any:
    value = row.get(name)
    return "" if value is None else value


def _name(row: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    value = _given(row, name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return _read(name, value, needed) if type(value) is str else _told(name, value, needed)


def _told(name: str, value: Any, needed: bool) -> str:
    text = short(name, value, limit=NAME_LIMIT, needed=needed).strip()
    return names.check_name(text, name) if text else ""


_read = lru_cache(maxsize=4096)(_told)  # the names of an import's rows come again and again


def _of_run(row: Mapping[str, Any], field: str, what: str = "", *, needed: bool = False) -> str:
    """Give a name of the run by its rule."""
    if not needed and _given(row, field) == "":
        return ""
    name = _name(row, field, needed=needed)
    return checked_as(what or field, name) if name else ""


@lru_cache(maxsize=4096)
def checked_as(kind: str, name: str) -> str:
    """Give a name of a run by its rule; names come again and again. Raises BadInput."""
    return CHECKS[kind](name)


def masked_url(value: object) -> str:
    """Give an address without what it may hold of a secret. Raises BadInput for none."""
    if value == "":
        return ""
    text = short("url", value, limit=names.URL_LIMIT)
    return secrets.redact(names.check_url(text)).text if text else ""


def _facts(row: Mapping[str, Any], screened: _Screened) -> Body:
    service = _of_run(row, "service", needed=True)
    deployment = _of_run(row, "deployment_id", "deployment", needed=True)
    raw = prose("error", _given(row, "error"), limit=BLOCK_LIMIT, needed=True)
    error = screened.clean(_shown("error", raw))
    lines, sent = error.count("\n") + 1, raw.encode()
    return dict(
        service=service,
        environment=_of_run(row, "environment"),
        branch=_of_run(row, "branch"),
        commit=_of_run(row, "commit"),
        deployment=deployment,
        stage=_of_run(row, "stage"),
        url=masked_url(_given(row, "url")),
        block=error,
        excerpt=[_quoted(lines, error)],
        failing_line=1,
        log_digest=hashlib.sha256(sent).hexdigest(),
        log_lines=lines,
        log_bytes=len(sent),
        title=screened.text("title") or error.strip().partition("\n")[0][:200],
        attributes=_attributes(row, screened),
    )


def _quoted(lines: int, error: str) -> Body:
    text = prose("an excerpt", error, limit=BLOCK_LIMIT)
    return {"first": 1, "last": lines, "text": text, "why": "imported"}


def _attributes(row: Mapping[str, Any], screened: _Screened) -> list[list[str]]:
    """Keep every other field, so that an import loses nothing."""
    fields = [names.check_name(name, "field's name") for name in row if name not in READ]
    fields = [name for name in fields if row[name] not in (None, "")]
    if row.get("outcome") and not row.get("confirmed_by"):
        fields.append("outcome")
    if len(fields) > MOST_ATTRIBUTES:
        raise BadInput(f"{len(fields)} unknown fields; the limit is {MOST_ATTRIBUTES}")
    return [[name, screened.clean(_attribute(name, row[name]))] for name in sorted(fields)]


def _attribute(name: str, value: Any) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name} is no JSON value: {error}") from error
    return _shown(name, prose(name, text))


def _date(row: Mapping[str, Any], name: str, now: datetime) -> datetime | None:
    value = _given(row, name)
    if value == "":
        return None
    if not isinstance(value, str):
        raise BadInput(f"{name} must be an ISO date, not {type(value).__name__}")
    try:
        at = _moment(value)
    except (ValueError, OverflowError):
        raise BadInput(f"{name} is no ISO date: {quoted(value)}") from None
    if not OLDEST <= at <= now + timedelta(days=1):
        raise BadInput(f"{name} is {at:%Y-%m-%d}: in the future or before {OLDEST:%Y}")
    return at


@lru_cache(maxsize=1024)
def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text.strip())
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def _verdict(
    row: Mapping[str, Any], screened: _Screened, confirmed: datetime | None
) -> tuple[str, Body]:
    person, cause = _person(row), screened.text("root_cause").strip()
    resolution, result = screened.text("resolution").strip(), _result(row)
    precedents = _list(row, "related_historical_incident")
    why_failed, proof = screened.text("why_failed").strip(), _proof(row)
    if bool(person) != bool(confirmed):
        missing = "confirmed_at" if person else "confirmed_by"
        raise BadInput(f"{missing} is missing: a confirmation names the person and the date")
    if person and confirmed:
        _complete(root_cause=cause, resolution=resolution, outcome=result)
        targets = [one.removeprefix("#") for one in precedents]
        body = outcome_body(cause, resolution, result, why_failed, targets, proof, person)
        return "confirm", {**body, "origin": {"actor": f"human:{person}", "at": stamp(confirmed)}}
    if cause or resolution:
        return "propose", proposal_body(cause, resolution, ())
    return "", {}


def _complete(**given: str) -> None:
    missing = [name for name, value in given.items() if not value.strip()]
    if missing:
        raise BadInput(f"confirmed_by is given, but not {', '.join(missing)}")


def _person(row: Mapping[str, Any]) -> str:
    name = _name(row, "confirmed_by")
    return _confirming(name) if name else ""


@lru_cache(maxsize=1024)
def _confirming(name: str) -> str:
    role, colon, rest = name.partition(":")
    if colon and role.lower() in {"agent", "ci", "system", "import"}:
        raise BadInput(f"confirmed_by is {quoted(name)}: only a person confirms")
    person = rest.strip() if colon and role.lower() == "human" else name
    return names.check_person(person, "confirmed_by") if person else ""


def _result(row: Mapping[str, Any]) -> str:
    value = _given(row, "outcome")
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    word = " ".join(short("outcome", value).lower().replace("_", " ").split())
    if word and word not in WORDS:
        raise BadInput(f"outcome is {quoted(value)}; known words: {', '.join(WORDS)}")
    return WORDS[word] if word else ""


def _list(row: Mapping[str, Any], name: str) -> list[str]:
    value = _given(row, name)
    if value == "":
        return []
    items = value if isinstance(value, list) else [value]
    if len(items) > 50:
        raise BadInput(f"{name} has {len(items)} entries; the limit is 50")
    return [_name({name: one}, name, needed=True) for one in items]


def _proof(row: Mapping[str, Any]) -> list[str]:
    """Give the proofs, which are addresses as a rule, without what they hold of a secret."""
    value = _given(row, "proof")
    if value == "":
        return []
    if isinstance(value, list):
        return _list({"proof": [_masked(one) for one in value]}, "proof")
    return _list({"proof": _masked(value)}, "proof")


def _masked(value: Any) -> Any:
    return secrets.redact(value).text if isinstance(value, str) else value
