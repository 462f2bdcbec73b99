"""What every forge must do, seen through the loop's own port: GitLab, GitHub, Gitea, a local one."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from caselore.errors import BadInput, ForgeUnavailable, NotFound
from caselore.forges.gitea import Gitea
from caselore.forges.github import GitHub
from caselore.forges.gitlab import GitLab
from caselore.forges.local import CONFIGURATION, Local
from caselore.forges.transport import Transport
from caselore.repair.honest import doubts
from caselore.repair.ports import Forge
from fakes import forge_server
from fakes.forge_server import HEAD, OLD, World

MARK = "<!-- caselore -->"


@dataclass
class Tried:
    """A forge with a red change in it, and how its world is moved on."""

    forge: Forge
    url: str
    world: Any
    server: Any = None

    def goes_green(self) -> None:
        self.world.goes_green()


class Told(World):
    def goes_green(self) -> None:
        self.status, self.attempt = "success", 2
        self.jobs = [{**one, "status": "success", "id": one["id"] + 10} for one in self.jobs]


@contextmanager
def over_http(kind, adapter, route, path, url):
    world = Told()
    with forge_server.serving(route(world)) as server:
        transport = Transport(
            f"{server.base}{path}", {"Authorization": "Bearer t"}, wait=lambda _: None
        )
        yield Tried(adapter(transport), url, world, server)
        transport.close()


class Repository:
    """A real git repository whose branch fails."""

    def __init__(self, folder) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit({CONFIGURATION: '[[job]]\nname = "build"\nrun = "echo built"\n'}, "begin")
        self.git("checkout", "-q", "-b", "fix")
        self.git("config", "caselore-change.42.branch", "fix")
        red = '[[job]]\nname = "build"\nrun = "echo built"\n\n[[job]]\nname = "test"\nrun = "echo it failed; exit 1"\n'
        self.commit({CONFIGURATION: red, "a.py": "2\n"}, "Fix")

    def git(self, *arguments: str) -> str:
        named = ["-c", "user.name=bot", "-c", "user.email=bot@example.com"]
        done = subprocess.run(
            ["git", "-C", str(self.folder), *named, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, files: dict[str, str], words: str) -> None:
        for name, text in files.items():
            (self.folder / name).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", words)

    def goes_green(self) -> None:
        self.commit({CONFIGURATION: '[[job]]\nname = "test"\nrun = "echo fine"\n'}, "Mend")


@pytest.fixture(params=["gitlab", "github", "gitea", "local"])
def tried(request, tmp_path):
    if request.param == "local":
        world = Repository(tmp_path / "pay")
        forge = Local(lambda: datetime(2026, 11, 1, tzinfo=UTC), {"PATH": "/usr/bin:/bin"})
        yield Tried(forge, f"{world.folder.as_uri()}/-/merge_requests/42", world)
        return
    made = {
        "gitlab": (
            GitLab,
            forge_server.gitlab,
            "/api/v4",
            "https://git.example/pay/-/merge_requests/42",
        ),
        "github": (GitHub, forge_server.github, "", "https://hub.example/o/pay/pull/42"),
        "gitea": (Gitea, forge_server.gitea, "/api/v1", "https://tea.example/o/pay/pulls/42"),
    }[request.param]
    with over_http(request.param, *made) as found:
        yield found


def test_a_change_tells_its_head_its_branches_and_who_pushed(tried):
    change = tried.forge.change(tried.url)

    assert len(change.head) == 40
    assert (change.branch, change.target, change.state) == ("fix", "main", "opened")
    assert (change.pusher, change.title, change.merge_sha) == ("bot", "Fix", "")
    assert change.project
    assert change.project_id
    assert change.iid


def test_the_pipeline_of_the_head_comes_with_its_jobs(tried):
    change = tried.forge.change(tried.url)

    (pipeline,) = tried.forge.pipelines(change)

    assert pipeline.sha == change.head
    assert pipeline.status in {"failed", "failure"}
    names = {job.name.rpartition(" / ")[2]: job.status for job in pipeline.jobs}
    assert names["build"] == "success"
    assert names["test"] in {"failed", "failure"}
    assert all(job.id and job.url for job in pipeline.jobs)


def test_a_pipeline_is_found_again_by_its_id_and_another_is_not(tried):
    change = tried.forge.change(tried.url)
    (pipeline,) = tried.forge.pipelines(change)

    assert tried.forge.pipeline(change, pipeline.id) == pipeline
    with suppress(NotFound):
        assert tried.forge.pipeline(change, "d" * 40 if len(pipeline.id) > 9 else "999") is None


def test_a_report_of_tests_is_numbers_by_suite_where_there_is_one(tried):
    change = tried.forge.change(tried.url)
    (pipeline,) = tried.forge.pipelines(change)

    found = tried.forge.tests(change, pipeline.id)

    assert found == ({"unit": (39, 2)} if isinstance(tried.forge, GitLab) else {})


def test_the_log_of_a_red_job_can_be_read(tried):
    change = tried.forge.change(tried.url)
    (pipeline,) = tried.forge.pipelines(change)
    red = next(job for job in pipeline.jobs if job.name.endswith("test"))

    with tried.forge.log(change, red) as log:
        assert b"it failed" in log.read()


def test_the_same_state_read_twice_is_equal_and_a_green_one_is_another(tried):
    first = tried.forge.pipelines(tried.forge.change(tried.url))
    again = tried.forge.pipelines(tried.forge.change(tried.url))
    tried.goes_green()
    green = tried.forge.pipelines(tried.forge.change(tried.url))

    assert first == again
    assert green[0].status == "success"
    assert (green[0].sha, green[0].run, [j.id for j in green[0].jobs]) != (
        first[0].sha, first[0].run, [j.id for j in first[0].jobs],
    )  # fmt: skip


def test_there_is_one_comment_and_it_is_written_in_place(tried, tmp_path):
    change = tried.forge.change(tried.url)
    for words in ("red", "red", "green"):
        tried.forge.comment(change, MARK, words)

    if isinstance(tried.world, Repository):
        (file,) = (tried.world.folder / ".git" / "caselore-forge").glob("*.md")
        assert file.read_text() == f"{MARK}\ngreen\n"
    else:
        assert [one["body"] for one in tried.world.comments] == [f"{MARK}\ngreen"]
        wrote = [one for one in tried.server.asked if one[0] != "GET"]
        assert len(wrote) == 2  # the second "red" says nothing new


def test_a_job_can_be_asked_to_run_once_more(tried):
    change = tried.forge.change(tried.url)
    (pipeline,) = tried.forge.pipelines(change)

    tried.forge.rerun(change, pipeline.jobs[-1])

    if isinstance(tried.world, Repository):
        assert [one.run for one in tried.forge.pipelines(change)] == ["2", "1"]
    else:
        assert len(tried.world.reruns) == 1


def test_what_changed_is_a_unified_diff(tried):
    change = tried.forge.change(tried.url)
    base, head = ("main", "fix") if isinstance(tried.world, Repository) else (OLD, HEAD)

    found = tried.forge.diff(change, base, head)

    assert found.startswith("diff --git a/a.py b/a.py")
    assert "+2" in found


def test_the_target_branch_and_what_follows_a_merge_are_told_apart(tried):
    change = tried.forge.change(tried.url)
    assert tried.forge.after_merge(change) == ()
    if isinstance(tried.world, Repository):
        tried.world.git("checkout", "-q", "main")
        tried.world.git("merge", "-q", "--no-ff", "-m", "Merge", "fix")
    else:
        tried.world.merged = True

    merged = tried.forge.change(tried.url)
    (after,) = tried.forge.after_merge(merged)

    assert merged.state == "merged"
    assert merged.merge_sha
    assert after.sha == merged.merge_sha
    assert after.ref == "main"
    target = tried.forge.target(merged)
    assert target is not None
    assert target.status


@pytest.mark.parametrize(
    "url", ["https://git.example/", "nonsense", "file:///x", "https://h/a/b/pull/x"]
)
def test_an_address_that_is_none_is_bad_input(tried, url):
    with pytest.raises(BadInput, match="address"):
        tried.forge.change(url)


def test_a_change_that_is_not_there_is_not_found(tried):
    gone = tried.url.replace("42", "43")

    with pytest.raises(NotFound):
        tried.forge.change(gone)


# -- faults, over HTTP ---

Said = forge_server.Said
FAULTS = {
    "html": Said(raw=b"<html>502</html>", headers={"Content-Type": "text/html"}),
    "a list for an object": Said([]),
    "an object without its fields": Said({"iid": 42}),
    "an object with fields of another kind": Said({"sha": {"x": 1}, "project_id": [], "head": 3}),
    "nothing": Said(raw=b""),
    "half an object": Said(raw=b'{"sha": "aa'),
    "deep": Said(raw=b"[" * 200_000),
    "a page of the wrong host": Said([], 302, {"Location": "https://evil.example/x"}),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["gitlab", "github", "gitea"])
def test_an_answer_that_is_none_is_an_error_and_never_an_empty_list(kind, fault):
    made = {
        "gitlab": (
            GitLab,
            forge_server.gitlab,
            "/api/v4",
            "https://git.example/pay/-/merge_requests/42",
        ),
        "github": (GitHub, forge_server.github, "", "https://hub.example/o/pay/pull/42"),
        "gitea": (Gitea, forge_server.gitea, "/api/v1", "https://tea.example/o/pay/pulls/42"),
    }[kind]
    with over_http(kind, *made) as tried:
        change = tried.forge.change(tried.url)
        calls = {
            "change": lambda: tried.forge.change(tried.url),
            "pipelines": lambda: tried.forge.pipelines(change),
        }
        if (kind, fault) == ("gitlab", "a list for an object"):
            del calls["pipelines"]  # an empty list of pipelines is a sound answer of GitLab
        for call in calls.values():
            tried.server.faults = [FAULTS[fault]] * 8
            with pytest.raises((ForgeUnavailable, NotFound)):
                call()


@pytest.mark.parametrize(
    ("kind", "one"),
    [
        ("gitlab", {"old_path": "big.py", "new_path": "big.py", "diff": "", "too_large": True}),
        ("gitlab", {"old_path": "big.py", "new_path": "big.py", "diff": "", "collapsed": True}),
        ("github", {"filename": "big.py", "status": "modified", "changes": 40_000}),
    ],
)
def test_a_file_whose_change_is_not_shown_is_named_as_left_out(kind, one):
    made = {
        "gitlab": (GitLab, forge_server.gitlab, "/api/v4", "https://git.example/pay/-/merge_requests/42"),
        "github": (GitHub, forge_server.github, "", "https://hub.example/o/pay/pull/42"),
    }[kind]  # fmt: skip
    with over_http(kind, *made) as tried:
        change = tried.forge.change(tried.url)
        tried.server.faults = [Said({"diffs": [one], "files": [one]})]

        assert doubts(tried.forge.diff(change, OLD, HEAD)) == (
            "what was changed is not shown by the forge: big.py",
        )


def test_children_stand_among_the_jobs_and_a_circle_of_them_ends():
    made = (GitLab, forge_server.gitlab, "/api/v4", "https://git.example/pay/-/merge_requests/42")
    with over_http("gitlab", *made) as tried:
        (pipeline,) = tried.forge.pipelines(tried.forge.change(tried.url))

    child = next(job for job in pipeline.jobs if job.name == "child")
    assert (child.pipeline, child.allow_failure) == ("8", True)
    assert len(pipeline.jobs) == 3
    assert not any(job.allow_failure for job in pipeline.jobs if job.pipeline == "7")


def test_gitlab_reads_what_the_established_client_reads():
    import gitlab as oracle

    made = (GitLab, forge_server.gitlab, "/api/v4", "https://git.example/pay/-/merge_requests/42")
    with over_http("gitlab", *made) as tried:
        (ours,) = tried.forge.pipelines(tried.forge.change(tried.url))
        client = oracle.Gitlab(tried.server.base, private_token="t")
        theirs = client.projects.get(5, lazy=True).pipelines.get(7)
        jobs = theirs.jobs.list(include_retried=True, get_all=True)

    assert (ours.id, ours.sha, ours.status, ours.source) == (
        str(theirs.id), theirs.sha, theirs.status, theirs.source,
    )  # fmt: skip
    assert [(j.id, j.name, j.status) for j in ours.jobs if j.pipeline == "7"] == [
        (str(j.id), j.name, j.status) for j in jobs
    ]
