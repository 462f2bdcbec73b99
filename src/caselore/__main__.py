"""Starts the command line. Must not do anything else."""

from __future__ import annotations

import sys


def main() -> int:
    """Run `caselore` with the arguments of this process."""
    from caselore.faces.cli.app import main as run  # noqa: PLC0415 - an import must not start anything

    return run()


if __name__ == "__main__":
    sys.exit(main())
