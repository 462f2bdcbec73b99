"""The folders in which vectors lie, for those who have no model and no numpy, too.

Must not read a vector: whoever turned vectors off still has them removed by an erasure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from caselore.errors import StoreBusy
from caselore.memory.arm_ports import VectorStatus
from caselore.memory.encoding import digest
from caselore.memory.stores.folder_lock import locked

PATIENCE = 30.0
LOCKS = {"lock", "turn"}  # of who changes the folder, and of who embeds


def room_of(root: Path, bank: str) -> Path:
    """Give the folder of a bank's vectors."""
    return root / digest("bank", bank)[:16]


def sweep(room: Path, keep: set[str]) -> None:
    """Remove all else; what cannot be removed now is removed next time."""
    for one in room.iterdir():
        if one.name not in keep:
            remove: Callable[[Path], object] = shutil.rmtree if one.is_dir() else os.unlink
            with suppress(OSError):
                remove(one)


class IdleVectors:
    """Stands where no model is named: nothing is embedded, and what is left over can go."""

    def __init__(self, root: Path) -> None:
        """Look after the folders beneath `root`."""
        self._root = root

    def catch_up(
        self, bank: str, progress: Callable[[int], None] | None = None, *, anew: bool = False
    ) -> None:
        """Do nothing: nothing is embedded."""

    def behind(self) -> None:
        """Do nothing: nothing is embedded."""

    def stir(self, bank: str) -> None:
        """Do nothing: nothing is embedded."""

    def forget(self, bank: str) -> None:
        """Remove what an earlier model left of a bank. Raises StoreBusy."""
        room = room_of(self._root, bank)
        if not room.exists():
            return
        with locked(room / "lock", PATIENCE) as held:
            if held:
                sweep(room, LOCKS)
            if not held or any(one.name not in LOCKS for one in room.iterdir()):
                raise StoreBusy(f"files beneath {room} cannot be removed")

    def status(self, bank: str) -> VectorStatus:
        """Say that there are none."""
        return VectorStatus("", "", 0, 0, 0, 0, sound=True)

    def close(self) -> None:
        """Hold nothing."""
