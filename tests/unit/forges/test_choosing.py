"""Which forge a host has, and that no token goes where nobody wanted it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from caselore import settings
from caselore.errors import Unavailable, WrongUse
from caselore.forges.github import GitHub
from caselore.forges.gitlab import GitLab
from caselore.forges.local import Local
from caselore.wiring.forges import forge_of, place_of

TOKENS = (
    "GITLAB_TOKEN",
    "CI_JOB_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITEA_TOKEN",
    "FORGEJO_TOKEN",
)


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for name in (*TOKENS, "CI_SERVER_HOST", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)


def load(tmp_path: Path, toml: str = "", *, home: bool = True):
    folder = tmp_path / "home" if home else tmp_path
    folder.mkdir(exist_ok=True)
    (folder / "caselore.toml").write_text(toml)
    return settings.load(environment={"CASELORE_HOME": str(tmp_path / "home")}, folder=tmp_path)


def test_public_forges_are_known(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "t-hub")
    monkeypatch.setenv("GITLAB_TOKEN", "t-lab")
    found = load(tmp_path)

    hub = place_of(found, "https", "github.com")
    lab = place_of(found, "https", "gitlab.com")

    assert (hub.kind, hub.api, hub.token) == ("github", "https://api.github.com", "t-hub")
    assert (lab.kind, lab.api, lab.token) == ("gitlab", "https://gitlab.com/api/v4", "t-lab")


def test_a_host_is_set_up_in_the_home_with_a_token_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("GITLAB_TOKEN", "t-lab")
    monkeypatch.setenv("OURS", "t-ours")
    found = load(tmp_path, '[forge."git.example"]\nkind = "gitlab"\ntoken_env = "OURS"\n')

    assert place_of(found, "https", "git.example").token == "t-ours"


def test_a_token_never_goes_to_a_host_that_nobody_named(tmp_path, monkeypatch):
    monkeypatch.setenv("GITLAB_TOKEN", "t-lab")

    with pytest.raises(Unavailable, match=r"evil\.example") as caught:
        place_of(load(tmp_path), "https", "evil.example")
    assert "caselore.toml" in caught.value.hint


def test_a_repositorys_file_can_set_up_no_forge(tmp_path):
    with pytest.raises(WrongUse, match="home"):
        load(tmp_path, '[forge."evil.example"]\nkind = "gitlab"\n', home=False)


def test_a_token_never_goes_unencrypted_but_to_this_machine(tmp_path):
    toml = '[forge."git.example"]\nkind = "gitlab"\n[forge."127.0.0.1:8080"]\nkind = "gitlab"\n'
    found = load(tmp_path, toml)

    with pytest.raises(WrongUse, match="unencrypted"):
        place_of(found, "http", "git.example")
    assert place_of(found, "http", "127.0.0.1:8080").api == "http://127.0.0.1:8080/api/v4"


def test_the_forge_whose_job_this_is_needs_no_setting(tmp_path, monkeypatch):
    monkeypatch.setenv("CI_SERVER_HOST", "git.example")
    monkeypatch.setenv("CI_JOB_TOKEN", "t-job")

    assert place_of(load(tmp_path), "https", "git.example").token == "t-job"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('[forge."h"]\nkind = "gitlub"\n', "gitlub"),
        ('[forge."h"]\nkind = "gitlab"\nurl = "x"\n', "url"),
    ],
)
def test_a_setting_that_is_none_is_told(tmp_path, toml, words):
    with pytest.raises(WrongUse, match=words):
        place_of(load(tmp_path, toml), "https", "h")


def test_the_adapter_follows_from_the_address(tmp_path):
    now = lambda: datetime(2026, 11, 1, tzinfo=UTC)  # noqa: E731
    found = load(tmp_path)

    assert isinstance(forge_of(found, "https://github.com/o/r/pull/1", now), GitHub)
    assert isinstance(forge_of(found, "https://gitlab.com/o/r/-/merge_requests/1", now), GitLab)
    assert isinstance(forge_of(found, "file:///srv/r/-/merge_requests/1", now), Local)
