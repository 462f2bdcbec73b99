"""Makes backups of a running store, brings one back, and reaches them all when content is erased.

Must not leave a half-made file under a backup's name, nor write to one that it restores from.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from caselore.errors import CaseloreError, NotFound, StoreDamaged
from caselore.memory.copies import Backup, Copied, Copies, Reached
from caselore.memory.moving import MovedBank, move
from caselore.memory.replay import verify
from caselore.memory.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from caselore.memory.ports import Store
    from caselore.memory.records import Actor

Progress = Callable[[int], None] | None


def machine() -> str:
    """Name this machine, since a path alone tells nothing on another one."""
    return platform.node()


def make(memory: Copies, file: Path, actor: Actor, progress: Progress = None) -> Copied:
    """Copy every bank into one SQLite file, whole and verified, while others may write.

    A backup of this store that stands there is brought up to date. Raises: GateRefused for an
    agent; WrongUse for a file of another store; StoreDamaged where the copy does not verify.
    """
    file = file.expanduser().absolute()
    memory.register_backup(str(file), machine(), actor)
    if file.exists():
        return _bring_up_to_date(memory.store, file, progress)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.part-{os.getpid()}")
    try:
        if isinstance(memory.store, SqliteStore):
            memory.store.copy_to(draft)
            moved = _verified(draft)
        else:
            with closing(SqliteStore(draft)) as copy:
                moved = move(memory.store, copy, progress)
        draft.replace(file)
    finally:
        for end in ("", "-wal", "-shm", "-journal", "-scrub"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)
    return Copied(str(file), moved)


def _bring_up_to_date(store: Store, file: Path, progress: Progress) -> Copied:
    with closing(SqliteStore(file)) as copy:
        return Copied(str(file), move(store, copy, progress))


def _verified(file: Path) -> tuple[MovedBank, ...]:
    """Replay a copy from its beginning. Raises: StoreDamaged."""
    with closing(SqliteStore(file)) as copy, copy.reading() as view:
        found = verify(view, "default")
        if found.broken:
            raise StoreDamaged(f"The copy: {found.broken.place}: {found.broken.reason}")
        heads = ((bank, view.head(bank)) for bank in view.banks())
        return tuple(MovedBank(bank, head.seq, head.seq, head.hash) for bank, head in heads)


def restore(memory: Copies, file: Path, progress: Progress = None) -> Copied:
    """Bring every bank of a backup into this store, and compare every record after.

    The store must be empty, or hold the beginning of the same history. The backup is left as it
    is. Raises: NotFound; WrongUse where the store holds another history, or a longer one.
    """
    if not file.is_file():
        raise NotFound(f"There is no backup {file}.", hint="Give the file that `backup` made.")
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "backup.db"
        shutil.copyfile(file, own)
        with closing(SqliteStore(own)) as copy:
            return Copied(str(file), move(copy, memory.store, progress))


def reach(memory: Copies) -> tuple[Reached, ...]:
    """Erase in every backup what is erased in the store, by bringing each up to date."""
    return tuple(_reached(memory.store, one) for one in memory.backups())


def _reached(store: Store, one: Backup) -> Reached:
    if one.machine != machine():
        return Reached(one.path, False, f"it is on another machine: {one.machine}")
    if not Path(one.path).is_file():
        return Reached(
            one.path, False, "there is no such file any more; a copy elsewhere keeps it"
        )
    try:
        _bring_up_to_date(store, Path(one.path), None)
    except (CaseloreError, OSError) as error:
        return Reached(one.path, False, str(error))
    return Reached(one.path, True, "")
