"""Chooses the adapters and puts the application together: build(settings) → App.

Must not be gone around: nothing else picks a store, an index, a clock or an id source. Heavy
imports wait inside the functions that need them, so that `caselore --help` stays quick.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from caselore.errors import BadInput
from caselore.settings import Settings

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.wiring.app import App as App

__all__ = ["App", "build", "clock", "new_id", "open_memory"]


def clock() -> datetime:
    """Tell the time; the only place that does."""
    return datetime.now(UTC)  # noqa: TID251 - the one clock


def new_id() -> str:
    """Make the id of an incident, which nobody can guess or order."""
    return f"inc_{secrets.token_hex(10)}"


def build(settings: Settings) -> App:
    """Put the application together; the store is opened when it is first needed."""
    from caselore.wiring.app import App  # noqa: PLC0415 - keeps `--help` quick

    return App(settings, clock, open_memory)


def open_memory(settings: Settings) -> Memory:
    """Open the memory that the settings name.

    Raises: Unavailable when the store cannot be opened; BadInput for weights that do not exist.
    """
    from caselore.memory.api import Memory  # noqa: PLC0415
    from caselore.memory.ranking import Weights  # noqa: PLC0415
    from caselore.memory.stores.sqlite import SqliteStore  # noqa: PLC0415
    from caselore.memory.stores.terms_index import TermsIndex  # noqa: PLC0415

    try:
        weights = Weights(**settings.weights)
    except (TypeError, ValueError) as error:
        names = ", ".join(Weights.__dataclass_fields__)
        hint = f"The weights in caselore.toml are numbers named: {names}."
        raise BadInput(f"[weights]: {error}.", hint=hint) from None
    store = SqliteStore(settings.database)
    return Memory(store, TermsIndex(), clock, new_id, weights, settings.bank)
