"""Starts the command line. Must not do anything else."""

from __future__ import annotations

import sys


def main() -> int:
    """Run `caselore` with the arguments of this process."""
    try:
        from caselore.faces.cli.app import main as run  # noqa: PLC0415 - it may be interrupted, too

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
