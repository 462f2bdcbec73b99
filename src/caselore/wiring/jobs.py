"""Chooses the engine that runs work later.

Must not know what any work is: each part registers its own kinds.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable
from datetime import datetime

from caselore.jobs.embedded import EmbeddedJobs
from caselore.jobs.ports import Jobs
from caselore.memory.api import Memory
from caselore.settings import Settings


def place(settings: Settings) -> str:
    """Name what only processes of this home on this machine can do."""
    return f"{socket.gethostname()}:{settings.home}"


def engine(settings: Settings, memory: Memory, now: Callable[[], datetime]) -> Jobs:
    """Give the engine over the memory's own store."""
    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    return EmbeddedJobs(memory, now, holder, place=place(settings))
