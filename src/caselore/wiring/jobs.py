"""Chooses the engine that runs work later: inside, or Procrastinate on the same Postgres.

Must not know what any work is: each part registers its own kinds.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from caselore.errors import Unavailable, WrongUse
from caselore.jobs.ports import Jobs
from caselore.memory.api import Memory
from caselore.settings import Settings, nearest

EMBEDDED, QUEUE = "embedded", "procrastinate"
THREADS = 4


def place(settings: Settings) -> str:
    """Name what only processes of this home on this machine can do."""
    return f"{socket.gethostname()}:{settings.home}"


def engine(settings: Settings, memory: Memory, now: Callable[[], datetime]) -> Jobs:
    """Give the engine that the settings name. Raises: WrongUse, Unavailable."""
    chosen, threads = _chosen(settings.jobs)
    if chosen == QUEUE:
        return _queue(settings, memory.bank, now, threads)
    from caselore.jobs.embedded import EmbeddedJobs  # noqa: PLC0415

    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    return EmbeddedJobs(memory, now, holder, place=place(settings), threads=threads)


def _queue(settings: Settings, bank: str, now: Callable[[], datetime], threads: int) -> Jobs:
    if not settings.database_url:
        raise WrongUse(
            '[jobs] engine = "procrastinate" needs a Postgres store.',
            hint='Set CASELORE_DATABASE_URL, or engine = "embedded".',
        )
    try:
        from caselore.jobs.distributed import QueueJobs  # noqa: PLC0415
    except ImportError:
        raise Unavailable(
            "The queue needs Procrastinate, which is not installed.",
            hint="pip install 'caselore[queue]'",
        ) from None
    return QueueJobs(settings.database_url, bank, now, place=place(settings), threads=threads)


def _chosen(table: Mapping[str, Any]) -> tuple[str, int]:
    known = ("engine", "threads")
    for name in table:
        if name not in known:
            raise WrongUse(f"[jobs] has no {name!r}.", hint=nearest(name, known))
    chosen, threads = table.get("engine", EMBEDDED), table.get("threads", THREADS)
    if chosen not in (EMBEDDED, QUEUE):
        raise WrongUse(f"[jobs] engine is {chosen!r}.", hint=f"Known: {EMBEDDED}, {QUEUE}.")
    if type(threads) is not int or not 1 <= threads <= 64:
        raise WrongUse("[jobs] threads must be a whole number from 1 to 64.")
    return chosen, threads
