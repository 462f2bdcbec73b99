"""Embeds in a thread of its own what was written, so that nobody waits for a slow model.

Must not raise: what could not be embedded is told by the next question, and tried again then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

PAUSE = 0.1  # seconds between two batches, in which another process may have its turn
ENDING = 2.0  # seconds that closing waits; what is not kept by then is embedded another time


class EmbeddingThread:
    """One thread a bank while there is something to embed; none else."""

    def __init__(self, step: Callable[[str], int]) -> None:
        """Work by `step`: it embeds a batch of a bank, and gives 0 where nothing is left."""
        self._step = step
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._again: set[str] = set()
        self._ended = threading.Event()

    def stir(self, bank: str) -> None:
        """Begin, or go on after what is under way; returns at once."""
        with self._lock:
            if self._ended.is_set():
                return
            self._again.add(bank)
            if bank not in self._threads:
                # a daemon: nobody waits for an answer of a model when a process ends
                thread = threading.Thread(target=self._run, args=(bank,), daemon=True)
                self._threads[bank] = thread
                thread.start()

    def wait(self, bank: str, seconds: float) -> None:
        """Wait until nothing is left to embed, or so long."""
        thread = self._threads.get(bank)
        if thread:
            thread.join(seconds)

    def _run(self, bank: str) -> None:
        while self._goes_on(bank):
            with suppress(Exception):  # any trouble is told where a person asks
                while not self._ended.is_set() and self._step(bank):
                    self._ended.wait(PAUSE)

    def _goes_on(self, bank: str) -> bool:
        with self._lock:
            if bank in self._again and not self._ended.is_set():
                self._again.discard(bank)
                return True
            del self._threads[bank]
            return False

    def close(self) -> None:
        """Begin nothing more, and wait a little for what is under way."""
        self._ended.set()
        for thread in list(self._threads.values()):
            thread.join(ENDING)
