"""A process that writes to a store until it is stopped, and says each id only once it is acknowledged."""

from __future__ import annotations

import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from caselore.errors import CaseloreError, StoreFull
from fakes.failures import ANA, BATCHES, CI, failure, memory_at, signed


def write(memory, name: str, number: int) -> None:
    case = memory.observe(failure(f"{name}-{number}"), CI)
    print("observed", case.id, flush=True)
    if number % 3 == 0:
        memory.confirm(case.id, **BATCHES, actor=ANA)
        print("confirmed", case.id, flush=True)
    if number % 7 == 0:
        rows = [
            {"deployment_id": f"{name}-{number}-{one}", "service": "pay", "error": f"lock {one}"}
            for one in range(20)
        ]
        report = memory.import_incidents(enumerate(rows, 1), CI, sign=lambda _: signed())
        print("imported", f"{name}-{number}", report.added, flush=True)


def main(place: str, name: str, most: int, folder: str | None = None) -> int:
    try:
        memory = memory_at(
            place,
            folder,
            clock=lambda: datetime.now(UTC),
            new_id=lambda: f"inc_{secrets.token_hex(10)}",
        )
        print("ready", flush=True)
        for number in range(most):
            write(memory, name, number)
    except StoreFull as error:
        print("full", error, flush=True)
        return 0
    except CaseloreError as error:
        print("error", type(error).__name__, error, flush=True)
        return 1
    memory.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:]))
