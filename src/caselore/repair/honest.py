"""Asks whether a green proves anything: what a repair may have removed, skipped or loosened.

Must not refuse a repair by itself: it names what a person should look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from caselore.repair.pipelines import Pipeline, newest
from caselore.repair.state import State

_TEST_FILE = re.compile(
    r"(^|/)(tests?|spec|specs|__tests__|testdata)/|(^|/)test_[^/]+$|[._-](test|spec)s?\.[a-z]+$"
    r"|_test\.[a-z]+$|(Test|Tests|Spec|IT)\.(java|kt|cs|scala|php|swift)$",
)
_CI_FILE = re.compile(
    r"^\.gitlab-ci\.ya?ml$|^\.gitlab/ci/|^\.github/(workflows|actions)/|^\.gitea/workflows/"
    r"|^\.forgejo/workflows/|^\.travis\.yml$|^azure-pipelines\.ya?ml$|^Jenkinsfile$"
    r"|^\.circleci/|^bitbucket-pipelines\.yml$|^\.buildkite/|^master\.cfg$"
)
_CHECK_FILE = re.compile(
    r"(^|/)(\.?eslint(rc|\.config)[^/]*|ruff\.toml|\.flake8|mypy\.ini|\.pylintrc|pytest\.ini"
    r"|tox\.ini|\.coveragerc|codecov\.ya?ml|jest\.config[^/]*|tsconfig[^/]*\.json"
    r"|phpunit\.xml[^/]*|\.rubocop\.yml|\.golangci\.ya?ml)$"
)
_SNAPSHOT = re.compile(r"\.snap$|(^|/)__snapshots__/|\.golden$|(^|/)testdata/.*\.(txt|json)$")
_SKIP = re.compile(
    r"@pytest\.mark\.(skip|skipif|xfail)|pytest\.(skip|xfail)\(|@unittest\.(skip|expectedFailure)"
    r"|\b(it|test|describe|context)\.(skip|todo)\b|\bx(it|describe|test)\(|\bt\.Skip(Now|f)?\("
    r"|#\[ignore|@(Disabled|Ignore)\b|\bpending\(|\$this->markTestSkipped|\bGTEST_SKIP\b"
    r"|\bDISABLED_\w+|\[(Ignore|Fact\(Skip)"
)
_TEST = re.compile(
    r"^\s*(async\s+)?def test_\w+|^\s*func Test\w+\(|#\[test\]|@Test\b|^\s*(it|test)\(['\"`]"
    r"|^\s*TEST(_F|_P)?\(|\[(Fact|Test|TestMethod)\]|public function test\w+\("
)
_ASSERT = re.compile(
    r"\bassert\b|\bassert[A-Z]\w*\(|\bexpect\(|\bASSERT_|\bEXPECT_|\brequire\.\w+\(|\bshould\b"
    r"|\bt\.(Error|Fatal)f?\("
)
_TOLERATE = re.compile(
    r"allow_failure:\s*(true|\n)|continue-on-error:\s*true|\|\|\s*true\b|set \+e\b"
    r"|--no-verify\b|\bretry:\s*[1-9]|flaky|--passWithNoTests|--maxfail|-k ['\"]?not "
    r"|fail_under|# type: ignore|# noqa|eslint-disable|@ts-ignore|nolint"
)


SUSPICIOUS = "suspicious_green"
_LEFT_OUT = "[caselore: left out by the forge"


class FileDiff(NamedTuple):
    """What changed in one file."""

    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    gone: bool
    shown: bool


def files(diff: str) -> Iterator[FileDiff]:
    """Read a unified diff, file by file."""
    for part in re.split(r"(?m)^diff --git ", "\n" + diff)[1:]:
        head, _, body = part.partition("\n")
        path = head.rpartition(" b/")[2].strip().strip('"')
        lines = body.split("\n")
        removed = tuple(one[1:] for one in lines if one[:1] == "-" and one[:4] != "--- ")
        added = tuple(one[1:] for one in lines if one[:1] == "+" and one[:4] != "+++ ")
        gone = any(one.startswith("deleted file mode") for one in lines[:5])
        shown = not any(one.startswith(_LEFT_OUT) for one in lines)
        yield FileDiff(path, removed, added, gone, shown)


def doubts(diff: str) -> tuple[str, ...]:
    """Name what a repair's diff did to the checks themselves."""
    changed = tuple(files(diff))
    sources = any(not _of_checks(one.path) for one in changed)
    found = [words for one in changed for words in _of_file(one)]
    snapshots = [one.path for one in changed if _SNAPSHOT.search(one.path)]
    if snapshots and not sources:
        found.append(f"snapshots rewritten without a change of the source: {snapshots[0]}")
    return tuple(dict.fromkeys(found))


def _of_checks(path: str) -> bool:
    return any(one.search(path) for one in (_TEST_FILE, _CI_FILE, _CHECK_FILE, _SNAPSHOT))


def _of_file(one: FileDiff) -> Iterator[str]:
    if not one.shown:
        yield f"what was changed is not shown by the forge: {one.path}"
    if _CI_FILE.search(one.path):
        yield f"CI configuration edited: {one.path}"
    if _CHECK_FILE.search(one.path):
        yield f"rules of a check edited: {one.path}"
    if _more(_TOLERATE, one):
        yield f"a failure is tolerated or a check silenced: {one.path}"
    if _more(_SKIP, one):
        yield f"a test is skipped: {one.path}"
    if _TEST_FILE.search(one.path):
        yield from _of_tests(one)


def _of_tests(one: FileDiff) -> Iterator[str]:
    if one.gone:
        yield f"test file deleted: {one.path}"
    elif _fewer(_TEST, one):
        yield f"tests removed: {one.path}"
    elif _fewer(_ASSERT, one):
        yield f"assertions removed: {one.path}"
    elif _loosened(one):
        yield f"what a test expects was changed: {one.path}"


def _count(pattern: re.Pattern[str], lines: Iterable[str]) -> int:
    return sum(bool(pattern.search(line)) for line in lines)


def _more(pattern: re.Pattern[str], one: FileDiff) -> bool:
    return _count(pattern, one.added) > _count(pattern, one.removed)


def _fewer(pattern: re.Pattern[str], one: FileDiff) -> bool:
    return _count(pattern, one.added) < _count(pattern, one.removed)


def _loosened(one: FileDiff) -> bool:
    """Tell whether an assertion was replaced by another of the same number."""
    old = {line.strip() for line in one.removed if _ASSERT.search(line)}
    return bool(old) and bool(old - {line.strip() for line in one.added})


def missing_jobs(state: State, green: Pipeline) -> tuple[str, ...]:
    """Name the jobs that were red in this series and do not vouch for the green now."""
    red = {name for one in state.series if one.delivered for name in one.names}
    jobs = {job.name: job for job in newest(green.jobs)}
    found = []
    for name in sorted(red if jobs else ()):
        job = jobs.get(name)
        if job is None or job.status in ("skipped", "manual", "canceled"):
            found.append(f"the job that was red did not run: {name}")
        elif job.allow_failure:
            found.append(f"the job that was red may fail now: {name}")
    return tuple(found)
