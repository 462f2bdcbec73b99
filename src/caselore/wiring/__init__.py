"""Chooses the adapters and puts the application together: build(settings) → App.

Must not be gone around: nothing else picks a store, an index, a clock or an id source. Heavy
imports wait inside the functions that need them, so that `caselore --help` stays quick.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caselore.errors import BadInput, Unavailable, WrongUse
from caselore.settings import Settings, load, nearest, on_server, sqlite_file

if TYPE_CHECKING:
    from caselore.memory.api import Memory
    from caselore.memory.moving import MovedBank
    from caselore.memory.ports import Index, Store
    from caselore.memory.weights import Weights
    from caselore.wiring.app import App as App
    from caselore.wiring.reading import Reader

__all__ = ["App", "build", "clock", "migrate", "new_id", "open_app", "open_memory"]


def clock() -> datetime:
    """Tell the time; the only place that does."""
    return datetime.now(UTC)  # noqa: TID251 - the one clock


def new_id() -> str:
    """Make the id of an incident, which nobody can guess or order."""
    return f"inc_{secrets.token_hex(10)}"


def build(settings: Settings) -> App:
    """Put the application together; the store is opened when it is first needed."""
    from caselore.wiring.app import App  # noqa: PLC0415 - keeps `--help` quick

    masked = [*settings.masked, *filter(None, (settings.model_key,))]
    if masked:
        from caselore.guards import secrets  # noqa: PLC0415

        secrets.also_mask(masked)
    return App(settings, clock, open_memory)


def reader(settings: Settings) -> Reader:
    """Put together what reads logs, without all that the rest of the application needs."""
    from caselore.wiring.reading import Reader  # noqa: PLC0415 - keeps `--help` quick

    return Reader(settings)


def open_app(home_or_url: str | os.PathLike[str] | None = None) -> App:
    """Put the application together for a folder or an address, else for what the environment says.

    Raises: WrongUse or Unavailable for settings or an address that cannot be used.
    """
    return build(load(home_or_url))


def open_memory(settings: Settings) -> Memory:
    """Open the memory that the settings name.

    Raises: Unavailable when the store cannot be opened; BadInput for weights that do not exist.
    """
    from caselore.guards import names  # noqa: PLC0415
    from caselore.memory.api import Memory  # noqa: PLC0415
    from caselore.memory.weights import Weights  # noqa: PLC0415
    from caselore.wiring.hindsight import arms_of  # noqa: PLC0415
    from caselore.wiring.vectors import vectors_of  # noqa: PLC0415

    names.check_name(settings.bank, "bank")
    weights = _weights(Weights, settings.weights)
    store = _store(settings.database_url, settings.database)
    index = _index(store, _index_folder(settings))
    folder = _index_folder(settings)
    arms, vectors = vectors_of(settings, store, folder.with_name(f"{folder.name}-vectors"))
    arms += arms_of(settings)
    return Memory(store, index, clock, new_id, weights, settings.bank, arms=arms, vectors=vectors)


@contextmanager
def throw_away_memory(bank: str) -> Iterator[Memory]:
    """Give a memory that is gone afterwards: what a backtest writes is no record."""
    from caselore.memory.api import Memory  # noqa: PLC0415
    from caselore.memory.stores.scan_index import ScanIndex  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="caselore-") as folder:
        store = _store("", Path(folder) / "caselore.db")
        memory = Memory(store, ScanIndex(store), clock, new_id, None, bank)
        try:
            yield memory
        finally:
            memory.close()


def migrate(
    source: str, target: str, progress: Callable[[int], None] | None = None
) -> tuple[MovedBank, ...]:
    """Copy every bank from one database address to another, and compare every record after.

    Raises: WrongUse where the target holds another history; Unavailable where one cannot be used.
    """
    from caselore.memory.moving import move  # noqa: PLC0415

    old = _store_at(source)
    try:
        new = _store_at(target)
        try:
            return move(old, new, progress)
        finally:
            new.close()
    finally:
        old.close()


def _store_at(address: str) -> Store:
    if on_server(address):
        return _store(address, Path())
    return _store("", sqlite_file(address))


def _store(url: str, file: Path) -> Store:
    if not url:
        from caselore.memory.stores.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(file)
    try:
        from caselore.memory.stores.postgres import PostgresStore  # noqa: PLC0415
    except ImportError:
        raise Unavailable(
            "A Postgres store needs psycopg, which is not installed.",
            hint="pip install 'caselore[postgres]'",
        ) from None
    return PostgresStore(url)


def _index_folder(settings: Settings) -> Path:
    """Give each database's index a folder of its own, on this machine."""
    if not settings.database_url:
        file = settings.database.resolve()  # one index, by whatever link the file is reached
        return file.with_name(f"{file.name}-index")
    return (
        settings.home / "index" / hashlib.sha256(settings.database_url.encode()).hexdigest()[:16]
    )


def _index(store: Store, folder: Path) -> Index:
    """Choose the text index; where its package has no build, each search reads the store."""
    try:
        from caselore.memory.stores.tantivy_index import TantivyIndex  # noqa: PLC0415
    except ImportError:
        from caselore.memory.stores.scan_index import ScanIndex  # noqa: PLC0415

        return ScanIndex(store)
    return TantivyIndex(store, folder)


def check_settings(settings: Settings) -> None:
    """Take everything that caselore.toml says as the commands will.

    Raises: WrongUse or BadInput for weights, families or a bank that cannot be used.
    """
    from caselore.guards import names  # noqa: PLC0415
    from caselore.memory.weights import Weights  # noqa: PLC0415

    names.check_name(settings.bank, "bank")
    _weights(Weights, settings.weights)
    _ = build(settings).families


def _weights(kind: type[Weights], given: Mapping[str, Any]) -> Weights:
    """Read the weights of caselore.toml over the defaults.

    Raises: WrongUse for a name that is none, BadInput for a value that cannot be one.
    """
    known = tuple(field.name for field in fields(kind))
    for name, value in given.items():
        if name not in known:
            raise WrongUse(f"[weights] has no {name!r}.", hint=nearest(name, known))
        if type(getattr(kind(), name)) in (int, float) and type(value) not in (int, float):
            raise BadInput(f"[weights] {name} must be a number.", hint="Mend caselore.toml.")
    frozen: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in given.items()
    }
    try:
        return kind(**frozen)
    except (TypeError, ValueError) as error:
        raise BadInput(f"[weights]: {error}.", hint="Mend caselore.toml.") from None
