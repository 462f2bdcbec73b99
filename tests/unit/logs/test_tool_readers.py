"""Readers against logs that the tools themselves wrote: the line, the excerpt, the tool, the family.

Must not hide a wrong answer: what is not right yet stands in known_wrong.json with the answer given.
"""

from __future__ import annotations

import pytest
from reading_cases import ASPECTS, Case, answer, cases, failing, fired, known_wrong, passing

# What DESIGN §3 asks for; each needs a failing log, and the runners and builders a passing one.
TOOLS = [
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "go",
    "cargo",
    "maven",
    "gradle",
    "dotnet",
    "rspec",
    "minitest",
    "phpunit",
    "ctest",
    "gtest",
    "gcc",
    "clang",
    "msvc",
    "tsc",
    "eslint",
    "ruff",
    "mypy",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "docker",
    "terraform",
    "helm",
    "kubectl",
    "ansible",
    "alembic",
    "flyway",
    "liquibase",
    "psql",
    "make",
    "bazel",
    "git",
    "oom",
    "runner",
]
PASSING = [
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "go",
    "cargo",
    "maven",
    "gradle",
    "dotnet",
    "rspec",
    "minitest",
    "phpunit",
    "gtest",
    "gcc",
    "tsc",
    "ruff",
    "npm",
    "pip",
    "docker",
    "terraform",
    "helm",
    "ansible",
    "alembic",
    "flyway",
    "psql",
    "bazel",
    "git",
    "shell",
    "prove",
]


def _named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("aspect", ASPECTS)
@pytest.mark.parametrize("case", failing(), ids=_named)
def test_a_failing_log_is_read_right(case: Case, aspect: str) -> None:
    said, right = answer(case, aspect)
    pinned = known_wrong()
    key = f"{case.name}/{aspect}"
    if key not in pinned:
        assert right, f"{key}: said {said!r}, right would be {case}"
        return
    assert not right, f"{key} is right now: take it out of known_wrong.json"
    assert said == pinned[key], f"{key} is wrong in another way than known_wrong.json says"


@pytest.mark.parametrize("case", passing(), ids=_named)
def test_no_tool_reader_fires_on_a_passing_log(case: Case) -> None:
    assert fired(case) == known_wrong().get(f"{case.name}/passing", [])


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_has_a_failing_log(tool: str) -> None:
    assert [c.file for c in failing() if tool in c.tools]


@pytest.mark.parametrize("tool", PASSING)
def test_each_common_tool_has_a_passing_log(tool: str) -> None:
    assert [c.file for c in passing() if c.file.startswith(tool) or c.file.startswith(f"{tool}-")]


def test_known_wrong_names_only_cases_that_exist() -> None:
    names = {c.name for c in cases()}
    assert {key.split("/")[0] for key in known_wrong()} <= names


def test_most_answers_are_right() -> None:
    wrong = [key for key in known_wrong() if key.split("/")[1] in ASPECTS]
    assert len(wrong) < 0.05 * len(failing()) * len(ASPECTS)
