"""Where an agent that stays after its turn is found, and is handed the next event.

A folder for each change. Must not decide who gets an event: it only hands over, at most once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from caselore.repair.workers.process import born, end, write
from caselore.repair.workers.words import read

PATIENCE = 5.0  # seconds that an agent which stays may take to take the next event


class Box:
    """The folder of one change."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not be there."""
        self.folder = folder
        self._here, self._next = folder / "here.json", folder / "next.json"

    @property
    def name(self) -> str:
        """Give the change's id."""
        return self.folder.name

    # The runner's side

    def stay(self, about: dict[str, Any]) -> None:
        """Say that an agent stays, and with what."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._next.unlink(missing_ok=True)
        write(self._here, about)

    def take(self) -> Path | None:
        """Take the run that was handed over; None while there is none."""
        with suppress(OSError):
            taken = self._next.rename(self.folder / "taken.json")
            told = read(taken)
            return Path(told["run"]) if told else None
        return None

    def leave(self) -> None:
        """Say that nobody stays any more."""
        self._here.unlink(missing_ok=True)

    def keep(self, conversation: str, meter: float) -> None:
        """Keep what a conversation cost up to now, for the agent that takes it up again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write(self.folder / "meter.json", {"conversation": conversation, "meter": meter})

    def meter(self, conversation: str) -> float:
        """Give what a conversation cost before; zero where that is not known."""
        kept = read(self.folder / "meter.json") or {}
        return float(kept.get("meter", 0)) if kept.get("conversation") == conversation else 0.0

    # The dispatcher's side

    def there(self) -> dict[str, Any] | None:
        """Give who stays; None where nobody does, or no longer lives."""
        about = read(self._here)
        lives = about is not None and born(int(about["pid"])) == about["born"] != ""
        return about if lives else None

    def hand(self, run: Path) -> bool:
        """Hand a run to who stays; tell whether it was taken. Nobody else may take it then."""
        write(self._next, {"run": str(run)})
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.there():
            if not self._next.exists():
                return True
            time.sleep(0.02)
        try:  # whoever renames it first has it
            self._next.rename(self.folder / "withdrawn.json")
        except OSError:
            return True
        return False

    def dismiss(self) -> None:
        """Ask who stays to leave."""
        about = self.there()
        if about:
            end(int(about["pid"]))


def boxes(folder: Path) -> Iterator[Box]:
    """Give the boxes below a folder at which somebody stays."""
    if folder.is_dir():
        for one in sorted(folder.iterdir()):
            box = Box(one)
            if box.there():
                yield box
