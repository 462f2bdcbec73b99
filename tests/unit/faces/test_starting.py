"""A command starts and ends without looking through what stays anyway."""

from __future__ import annotations

import subprocess
import sys

CALLED = """
import gc, sys
sys.argv = ["caselore", {word!r}]
from caselore.__main__ import main
try:
    code = main()
except SystemExit as end:
    code = end.code
print("after:", code, gc.isenabled(), gc.get_freeze_count() > 10_000)
"""


def called(word: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CALLED.format(word=word)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def test_a_command_runs_with_the_collector_on_and_what_was_imported_set_apart():
    assert called("--help").splitlines()[-1] == "after: 0 True True"


def test_a_command_that_is_none_ends_in_the_same_way():
    assert called("no-such-command").splitlines()[-1] == "after: 2 True True"
