"""Does one job on a disk that has no room left for it, then makes room and does it again; says how each went."""

from __future__ import annotations

import json
import os
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from caselore.errors import CaseloreError, problem
from caselore.memory import imports
from caselore.memory.retention import read_rules
from caselore.wiring import backup
from fakes.failures import ANA, BATCHES, CI, failure, memory_at, signed

SEED = 40  # records that are there before the disk is full


def filled(room: Path, left: int) -> Path:
    """Write until nothing but `left` bytes are free; remove the file to make room."""
    ballast = room / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (65_536, 4_096, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    os.truncate(ballast, max(0, ballast.stat().st_size - left))
    return ballast


def rows(count):
    for number in range(count):
        yield (
            number + 1,
            {"deployment_id": f"r{number}", "service": "pay", "error": f"lock {number} " * 40},
        )


def jobs(memory, room):
    rules = read_rules({"old": {"older": "0h", "service": "gone"}})
    return {
        "write": lambda: memory.observe(failure("late", block="x" * 20_000), CI).id,
        "import": lambda: memory.import_incidents(rows(700), CI, sign=lambda _: signed()).added,
        "confirm": lambda: memory.confirm("1", **{**BATCHES, "cause": "y" * 15_000}, actor=ANA).id,
        "backup": lambda: backup.make(memory, room / "backup.db", ANA).path,
        "index": lambda: memory.index_rebuild().documents,
        "retention": lambda: memory.retention_apply(memory.retention_due(rules), ANA),
        "erase": lambda: memory.erase("2", "asked to", ANA),
    }


def tried(job) -> dict:
    try:
        return {"done": job()}
    except CaseloreError as error:
        return {"error": problem(error).code, "kind": type(error).__name__, "words": str(error)}
    except OSError as error:
        return {"error": "OSError", "kind": "OSError", "words": str(error)}


def opened(room):
    return memory_at(
        room / "lore.sqlite3",
        clock=lambda: datetime.now(UTC),
        new_id=lambda: f"inc_{secrets.token_hex(10)}",
    )


def state(memory) -> list:
    return sorted((case.record.body.deployment, case.status.value) for case in memory.list())


def main(room: Path, name: str, left: int) -> None:
    memory = opened(room)
    for number in range(SEED):
        memory.observe(failure(str(number)), CI)
        if number % 3 == 0:
            memory.observe(failure(f"g{number}", service="gone"), CI)
    before = state(memory)
    ballast = filled(room, left)
    job = jobs(memory, room)[name]
    full = tried(job)
    between = state(memory)
    recalled = memory.recall(text="statement timeout of payments").considered
    verified = memory.ledger_verify().ok
    left = sorted(one.name for one in room.iterdir())
    memory.close()
    ballast.unlink()
    memory = opened(room)
    reopened = state(memory)
    again = tried(jobs(memory, room)[name])
    print(
        json.dumps(
            {
                "before": before,
                "full": full,
                "between": between,
                "recalled": recalled,
                "verified": verified,
                "left": left,
                "reopened": reopened,
                "again": again,
                "after": state(memory),
                "whole": memory.ledger_verify().ok,
            }
        )
    )
    memory.close()


if __name__ == "__main__":
    imports.BATCH = 500  # an import has two transactions, of which the first finds room
    os.environ["TMPDIR"] = "/tmp"
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
