"""Starts the command line and ends it. Must not do anything else."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run `caselore` with the arguments of this process.

    What importing makes stays to the end, and the end takes all with it: to have the collector of
    circles look through it is a quarter of the time of a short command.
    """
    try:
        gc.disable()
        from caselore.faces.cli.app import main as run  # noqa: PLC0415 - it may be interrupted, too

        gc.freeze()
        gc.enable()
        return run()
    except KeyboardInterrupt:
        return 130
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
