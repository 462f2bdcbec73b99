"""Starts the user service: reads its settings, then would serve.

Must not import anything but the standard library: it runs outside of caselore.
"""

from __future__ import annotations

import os
import sqlite3


def settings() -> dict[str, str]:
    """Read what the service needs from its environment."""
    environment = os.environ  # noqa: TID251 - this is a service of its own, not caselore
    return {
        "database": environment["USER_DATABASE_PATH"],
        "region": environment.get("USER_REGION", "eu-west"),
    }


def main() -> None:
    """Start the service."""
    print("[deploy] user-service deployment 1058 to production", flush=True)
    print("[deploy] step 1/2 read settings", flush=True)
    chosen = settings()
    print(f"[deploy] step 2/2 open {chosen['database']}", flush=True)
    sqlite3.connect(chosen["database"]).close()


if __name__ == "__main__":
    main()
