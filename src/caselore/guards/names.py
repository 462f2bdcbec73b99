"""Checks names and bounds of what callers give: services, branches, competitors, ids, sizes.

Must not repair a name: it is taken as it is, or refused with what is wrong with it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from caselore.errors import BadInput
from caselore.guards import secrets
from caselore.guards.agents import is_agent

QUOTED = 60  # characters of an input that a message repeats
NAME_LIMIT = 200
COMMIT_LIMIT = 200
URL_LIMIT = 2_000
WHY_LIMIT = 10_000
TEXT_LIMIT = 100_000
MOST_LINKS = 50  # precedents or proofs of one verdict
MOST_ANSWERS = 100  # of one recall
MOST_LINES = 10_000  # of one excerpt

_COMPETITOR_SIGNS = frozenset(" &'’.,-+!()/")
_SERVICE_SIGNS = frozenset(" ._-/:@+#()[]")
_BRANCH_BAD = re.compile(r"\s|\.\.|@\{|[~^:?*\[\\]|//|^[-/.]|[/.]$|\.lock$")
_COMMIT = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/-]*")
_DEPLOYMENT = re.compile(r"#?[0-9A-Za-z][0-9A-Za-z._:/@+-]*")
_URL = re.compile(r"https?://[^\s<>\"'`{}|\\^]+")


def quoted(value: object) -> str:
    """Give an input as a message may repeat it: its secrets masked, then cut."""
    text = value if isinstance(value, str) else repr(value)
    masked = secrets.redact(text[:TEXT_LIMIT]).text
    return repr(masked if len(masked) <= QUOTED else masked[:QUOTED] + "…")


def check_name(value: str, what: str = "name", *, limit: int = NAME_LIMIT) -> str:
    """Take a name of 1 to `limit` characters that a screen shows and that holds no secret.

    Raises BadInput otherwise, without repeating the name.
    """
    _visible(value, what, limit)
    if holds_secret(value):
        raise BadInput(f"The {what} holds a secret; give it without, it was kept nowhere.")
    return value


@lru_cache(maxsize=4096)
def holds_secret(value: str) -> bool:
    """Say whether a text holds what would be masked; names come again and again."""
    return bool(secrets.redact(value).findings)


def check_person(value: str, what: str) -> str:
    """Take the name of a person. Raises BadInput for that of a coding agent or a bot."""
    check_name(value, what)
    if is_agent(value):
        raise BadInput(
            f"The {what} is {quoted(value)}, an agent or a bot: only a person confirms."
        )
    return value


def _visible(value: str, what: str, limit: int) -> None:
    plain = 0 < len(value) <= limit and value.isascii() and value.isprintable()
    if plain and value[0] != " " != value[-1]:
        return
    if not value.strip():
        raise BadInput(f"The {what} is empty.")
    if len(value) > limit:
        raise BadInput(f"The {what} has {len(value)} characters; {limit} is the most.")
    for char in value:
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            raise BadInput(f"The {what} holds U+{ord(char):04X}, which no screen shows.")
    if value != value.strip():
        raise BadInput(f"The {what} starts or ends with a blank.")


def _only(value: str, what: str, signs: frozenset[str], limit: int = NAME_LIMIT) -> str:
    check_name(value, what, limit=limit)
    for char in value:
        if not (char.isalnum() or unicodedata.category(char).startswith("M") or char in signs):
            raise BadInput(
                f"The {what} holds {char!r}; letters, digits and {_listed(signs)} are taken."
            )
    if not any(char.isalnum() for char in value):
        raise BadInput(f"The {what} holds no letter or digit.")
    return value


def _listed(signs: frozenset[str]) -> str:
    return "blank " + " ".join(sorted(signs - {" "})) if " " in signs else " ".join(sorted(signs))


def check_service(value: str) -> str:
    """Take a service's name. Raises BadInput."""
    return _only(value, "service", _SERVICE_SIGNS)


def check_environment(value: str) -> str:
    """Take an environment's name. Raises BadInput."""
    return _only(value, "environment", _SERVICE_SIGNS)


def check_stage(value: str) -> str:
    """Take the name of a stage or job, which forges let people write freely. Raises BadInput."""
    return check_name(value, "stage")


def check_branch(value: str) -> str:
    """Take a branch's name by git's own rule. Raises BadInput."""
    check_name(value, "branch", limit=250)
    if _BRANCH_BAD.search(value):
        raise BadInput(f"{quoted(value)} is no branch name that git would take.")
    return value


def check_commit(value: str) -> str:
    """Take a commit: a hash, a tag or a revision's number. Raises BadInput."""
    check_name(value, "commit", limit=COMMIT_LIMIT)
    if not _COMMIT.fullmatch(value):
        raise BadInput(f"{quoted(value)} is no commit.")
    return value


def check_deployment(value: str) -> str:
    """Take a deployment's id, with or without `#`; gives it without. Raises BadInput."""
    check_name(value, "deployment")
    if value == "#":
        raise BadInput("The deployment is empty.")
    if not _DEPLOYMENT.fullmatch(value):
        raise BadInput(
            f"{quoted(value)} is no deployment id: letters, digits and . _ : / @ + - are taken."
        )
    return value.removeprefix("#")


def check_competitor(value: str) -> str:
    """Take a competitor's name: letters, digits, & ' ’ . , - + ! ( ) /. Raises BadInput."""
    return _only(value, "competitor", _COMPETITOR_SIGNS)


def check_url(value: str) -> str:
    """Take an http or https address; who keeps it masks what it holds. Raises BadInput."""
    _visible(value, "address", URL_LIMIT)
    if not _URL.fullmatch(value):
        raise BadInput(f"{quoted(value)} is no http or https address.")
    return value


def check_text(value: str, what: str, *, limit: int = TEXT_LIMIT) -> str:
    """Take a text that is not empty, of at most `limit` characters. Raises BadInput."""
    if not value.strip():
        raise BadInput(f"The {what} is empty.")
    if len(value) > limit:
        raise BadInput(f"The {what} has {len(value)} characters; {limit} is the most.")
    return value


def check_count(value: int, what: str, *, least: int = 1, most: int) -> int:
    """Take a number within its bounds. Raises BadInput."""
    if not least <= value <= most:
        raise BadInput(f"{what} is {value}; {least} to {most} is taken.")
    return value
