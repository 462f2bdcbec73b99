"""A run that lacks something leaves out the tests that need it, and says so; none of them passes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

from fakes import means

TESTS = Path(__file__).parent
NEEDING = {
    "mounts": "unit/memory/test_memory_disk.py::test_a_read_only_disk_is_said_and_left_as_it_is",
    "pgbouncer": "unit/memory/test_memory_pgbouncer.py::test_no_session_that_clients_share_is_left_with_anything",
    "gitlab-ci-local": "acceptance/test_gitlab_ci_local.py",
}


def test_what_needs_something_that_is_not_here_is_left_out_and_told(tmp_path):
    bare = {
        "PATH": str(tmp_path),
        "CASELORE_TEST_PGBOUNCER": "",
        "CASELORE_TEST_GITLAB_CI_LOCAL": "",
    }
    asked = [TESTS / one for one in NEEDING.values()]
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *asked],
        env={**os.environ, **bare}, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip

    assert f"({len(NEEDING)} deselected)" in said, said
    assert "::test_" not in said
    assert all(means.ALL[name].told in said for name in NEEDING)


def test_each_thing_that_is_needed_is_one_that_is_told():
    named = {
        node.args[0].value
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.needs"
    }

    assert named == set(means.ALL)
