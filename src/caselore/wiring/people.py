"""Says what a person may do whom a proxy or an identity provider names: by the home's own table.

Must not let in whom the table does not know, where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from caselore.errors import BadInput, GateRefused, WrongUse
from caselore.guards import names
from caselore.memory.records import TokenRole

RANKS = (TokenRole.ADMIN, TokenRole.HUMAN, TokenRole.READER)  # the first that fits counts
GROUP = "group:"


@dataclass(frozen=True, slots=True)
class People:
    """Who is what: names and `group:NAME`, in which `*` stands for anything."""

    entries: Mapping[TokenRole, tuple[str, ...]]

    @classmethod
    def parse(cls, table: object) -> People:
        """Read [sign_in.people]. Raises: WrongUse for another role or form."""
        known = {one.value: one for one in RANKS}
        if not isinstance(table, Mapping):
            raise WrongUse("[sign_in.people] must be a table.", hint=_FORM)
        for role, rows in table.items():
            sound = isinstance(rows, list) and all(isinstance(one, str) and one for one in rows)
            if role not in known or not sound:
                raise WrongUse(f"[sign_in.people] {role!r} has the wrong form.", hint=_FORM)
        return cls({known[role]: tuple(rows) for role, rows in table.items()})

    def role(self, name: str, groups: Iterable[str]) -> TokenRole:
        """Give what a person may do. Raises: GateRefused for a stranger, an agent or a bot."""
        try:
            names.check_person(name, "name of the person who signed in")
        except BadInput as error:
            raise GateRefused(
                str(error), hint="Programs come with a token of their own."
            ) from None
        fits = [name, *(f"{GROUP}{one}" for one in groups)]
        for role in RANKS:
            if any(_fits(entry, one) for entry in self.entries.get(role, ()) for one in fits):
                return role
        raise GateRefused(
            f"{names.quoted(name)} is not among the people who may come in; nothing was changed.",
            hint="Whoever keeps this server names people in [sign_in.people].",
        )


_FORM = 'For example: human = ["ana@example.com", "group:sre"], reader = ["*@example.com"].'


def _fits(entry: str, name: str) -> bool:
    """Compare; a bare `*` stands for every person, not for a group."""
    both = entry.startswith(GROUP) == name.startswith(GROUP)
    return both and fnmatchcase(name.casefold(), entry.casefold())


def of_proxy(sign_in: Mapping[str, Any]) -> People:
    """Give who a trusted proxy may name: anybody, unless a table says who."""
    return People.parse(sign_in.get("people", {TokenRole.HUMAN.value: ["*"]}))
