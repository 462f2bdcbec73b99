"""A job records itself, and a history is taken in: against forges on loopback."""

from __future__ import annotations

import time

import pytest

from fakes import forge_server
from fakes.forge_server import HEAD, Said, World, serving

LOG = b"""$ pytest -q
FAILED tests/test_tax.py::test_rounds_half_up - assert 10 == 11
1 failed, 88 passed in 4.10s
ERROR: Job failed: exit code 1
"""


def gitlab_job(server, **more):
    return {
        "CI_SERVER_URL": server.base, "CI_SERVER_HOST": server.base.partition("//")[2],
        "CI_PROJECT_PATH": "shop/pay", "CI_PROJECT_ID": "5", "CI_PIPELINE_ID": "7",
        "CI_JOB_ID": "71", "CI_JOB_NAME": "test", "CI_JOB_STATUS": "failed",
        "CI_JOB_URL": "https://git.example/pay/-/jobs/71", "CI_COMMIT_SHA": HEAD,
        "CI_COMMIT_REF_NAME": "fix", "CI_MERGE_REQUEST_IID": "42", "CI_JOB_TOKEN": "t-job", **more,
    }  # fmt: skip


@pytest.fixture
def world():
    return World(log=LOG)


@pytest.fixture
def gitlab(world):
    with serving(forge_server.gitlab(world)) as server:
        yield server


def test_a_failed_job_becomes_an_incident_and_its_change_gets_one_comment(home, gitlab, world):
    for _ in range(2):
        taken = home.ok("ingest", "--from-gitlab-env", **gitlab_job(gitlab))
    found = home.ok("show", taken["incidents"][0])

    assert taken["errors"] == []
    assert len(home.run("incidents", "--json").lines) == 1
    assert (found["service"], found["stage"], found["commit"]) == ("pay", "test", HEAD)
    assert len(world.comments) == 1
    assert world.comments[0]["body"].startswith("<!-- caselore: incidents -->")
    assert "test_rounds_half_up" in world.comments[0]["body"]
    assert all(heads.get("authorization") == "Bearer t-job" for _, _, heads in gitlab.asked)


def test_a_passed_job_becomes_a_green_run(home, gitlab, world):
    world.log = b"$ pytest -q\n89 passed in 4.10s\n"

    taken = home.ok("ingest", "--from-gitlab-env", **gitlab_job(gitlab, CI_JOB_STATUS="success"))

    assert (taken["greens"], taken["incidents"], world.comments) == (1, [], [])


def test_a_log_that_the_job_kept_needs_no_forge(home):
    taken = home.ok(
        "ingest", home.log("kept.log", LOG.decode()), "--from-github-env",
        GITHUB_REPOSITORY="o/pay", GITHUB_SHA=HEAD, GITHUB_JOB="test", GITHUB_RUN_ID="7",
    )  # fmt: skip

    assert home.ok("show", taken["incidents"][0])["service"] == "pay"


def test_a_github_run_is_taken_in_from_its_environment(home, world):
    with serving(forge_server.github(world)) as server:
        host = server.base.partition("//")[2]
        home.folder.mkdir(exist_ok=True)
        (home.folder / "caselore.toml").write_text(
            f'[forge."{host}"]\nkind = "github"\napi = "{server.base}"\n'
        )
        taken = home.ok(
            "ingest", "--from-github-env",
            GITHUB_SERVER_URL=server.base, GITHUB_REPOSITORY="o/pay", GITHUB_SHA=HEAD,
            GITHUB_REF_NAME="fix",
        )  # fmt: skip

    assert len(taken["incidents"]) == 1


FAULTS = {
    "down": [Said({}, 503)] * 20,
    "html": [Said(raw=b"<html>")] * 20,
    "gone": [Said({}, 404)] * 20,
    "refused": [Said({}, 401)] * 20,
}


@pytest.mark.parametrize("fault", ["html", "gone", "refused"])
def test_best_effort_never_breaks_the_job(home, gitlab, fault):
    gitlab.faults = list(FAULTS[fault])

    ran = home.run("ingest", "--from-gitlab-env", "--best-effort", **gitlab_job(gitlab))

    assert ran.code == 0
    assert "Traceback" not in ran.err


def test_best_effort_outside_of_a_job_and_without_a_store_ends_well_too(home):
    for arguments in (("--from-gitlab-env",), ("--from-github-env",), ()):
        ran = home.run(
            "ingest",
            *arguments,
            "--best-effort",
            CASELORE_DATABASE_URL="postgresql://127.0.0.1:9/x",
        )
        assert ran.code == 0, arguments
        assert "the job goes on" in ran.err


def test_without_best_effort_a_fault_is_told_with_its_code(home, gitlab):
    assert home.run("ingest").code == 2
    assert home.run("ingest", "--from-gitlab-env").code == 2
    gitlab.faults = [Said({}, 401)] * 20
    taken = home.ok("ingest", "--from-gitlab-env", code=1, **gitlab_job(gitlab))
    assert "token" in taken["errors"][0]


def listing(pipelines):
    """A GitLab with a history of red pipelines, oldest first."""

    def route(method, path, query, body):
        path = path.removeprefix("/api/v4").replace("%2F", "/")
        if path == "/projects/shop/pay/pipelines":
            since = query["updated_after"]
            page = int(query.get("page", "1"))
            rows = [one for one in pipelines if one["created_at"] >= since]
            more = {"X-Next-Page": str(page + 1) if page * 2 < len(rows) else ""}
            return Said(rows[page * 2 - 2 : page * 2], 200, more)
        id = path.removeprefix("/projects/shop/pay/pipelines/").partition("/")[0]
        if path.endswith(f"pipelines/{id}"):
            return Said(next(one for one in pipelines if str(one["id"]) == id))
        if path.endswith("/jobs"):
            return Said(
                [
                    {
                        "id": int(id) * 10,
                        "name": "test",
                        "status": "failed",
                        "web_url": f"https://g/{id}",
                    }
                ]
            )
        if path.endswith("/bridges"):
            return Said([])
        job = path.removeprefix("/projects/shop/pay/jobs/").partition("/")[0]
        return Said(raw=LOG.replace(b"4.10", job.encode()))  # a log of its own, the same each time

    return route


def test_a_history_is_taken_in_with_its_times_and_goes_on_where_it_stopped(home):
    at = time.strftime("%Y-%m-%dT", time.gmtime(time.time() - 86_400))
    pipelines = [
        {"id": n, "sha": HEAD, "status": "failed", "ref": "main", "created_at": f"{at}0{n}:00:00Z"}
        for n in range(1, 6)
    ]
    with serving(listing(pipelines)) as server:
        host = server.base.partition("//")[2]
        home.folder.mkdir(exist_ok=True)
        (home.folder / "caselore.toml").write_text(f'[forge."{host}"]\nkind = "gitlab"\n')
        arguments = ("import", "gitlab", "shop/pay", "--url", server.base, "--since", "30d")
        first = home.ok(*arguments)
        asked = len(server.asked)
        again = home.ok(*arguments)

    assert (first["pipelines"], len(set(first["incidents"]))) == (5, 5)
    assert again["pipelines"] == 1  # the last one, which adds nothing
    assert set(again["incidents"]) <= set(first["incidents"])
    assert len(server.asked) - asked < 8
    shown = home.run("incidents", "--json").lines
    assert sorted(one["happened_at"][:13] for one in shown) == [f"{at}0{n}" for n in range(1, 6)]


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "gitlub", "x"),
        ("import", "buildbot", "x"),
        ("import", "gitlab", "x", "--since", "soon"),
    ],
)
def test_a_history_of_nowhere_is_wrong_use(home, arguments):
    assert home.run(*arguments).code == 2
