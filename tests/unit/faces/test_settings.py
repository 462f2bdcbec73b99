"""What caselore.toml and the environment may say, and what each wrong word is answered with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caselore import settings, wiring
from caselore.errors import BadInput, CaseloreError, WrongUse
from caselore.llm.meter import DEFAULTS
from caselore.wiring import models


def load(tmp_path: Path, toml: str = "", **environment: str) -> settings.Settings:
    if toml:
        (tmp_path / "caselore.toml").write_text(toml)
    environment.setdefault("CASELORE_HOME", str(tmp_path / "home"))
    return settings.load(environment=environment, folder=tmp_path)


def test_the_home_is_where_the_environment_says(tmp_path):
    found = load(tmp_path)

    assert found.home == tmp_path / "home"
    assert found.database == tmp_path / "home" / "caselore.db"


def test_a_sqlite_address_names_the_file_and_its_folder_is_the_home(tmp_path):
    env = {"CASELORE_DATABASE_URL": f"sqlite:///{tmp_path}/x/memory.db"}

    found = settings.load(environment=env, folder=tmp_path)

    assert found.database == tmp_path / "x" / "memory.db"
    assert found.home == tmp_path / "x"


def test_an_argument_wins_over_the_environment(tmp_path):
    found = settings.load(
        tmp_path / "given", environment={"CASELORE_HOME": "/elsewhere"}, folder=tmp_path
    )

    assert found.home == tmp_path / "given"


@pytest.mark.parametrize("address", ["postgresql://db/x", "postgres://u:p@h:1/x"])
def test_a_postgres_address_is_kept_and_never_shown(tmp_path, address):
    found = load(tmp_path, CASELORE_DATABASE_URL=address)

    assert found.database_url == address
    assert ":p@" not in repr(found)
    assert load(tmp_path).database_url == ""


def test_an_address_may_hold_escaped_letters(tmp_path):
    address = f"sqlite:///{tmp_path}/team%20lore/caf%C3%A9%2525.db"

    assert settings.sqlite_file(address) == tmp_path / "team lore" / "café%25.db"
    with pytest.raises(BadInput, match="NUL"):
        settings.sqlite_file("sqlite:////tmp/a%00b.db")


@pytest.mark.parametrize("address", ["mysql://x", "sqlite://x", "sqlite:///", "://"])
def test_an_address_of_no_known_form_is_wrong_use(tmp_path, address):
    with pytest.raises(WrongUse):
        load(tmp_path, CASELORE_DATABASE_URL=address)


@pytest.mark.parametrize(
    ("toml", "names"),
    [
        ("banks = 'x'", "bank"),
        ("wieghts = {}", "weights"),
        ("famly = []", "family"),
        ("modell = 'none'", "model"),
        ("zzz = 1", "Known are"),
        ("token = 'x'", "CASELORE_TOKEN"),
        ("home = '/x'", "CASELORE_HOME"),
        ("database_url = 'x'", "CASELORE_DATABASE_URL"),
    ],
)
def test_a_wrong_key_is_named_with_the_nearest_right_one(tmp_path, toml, names):
    with pytest.raises(WrongUse) as caught:
        load(tmp_path, toml)

    assert toml.split()[0] in str(caught.value)
    assert names in caught.value.hint


@pytest.mark.parametrize(
    "toml", ["bank = 3", "weights = 'x'", "family = {}", "family = [1]", "bank =", "\x00"]
)
def test_a_value_of_the_wrong_form_is_wrong_use(tmp_path, toml):
    with pytest.raises(WrongUse):
        load(tmp_path, toml)


def test_the_working_folder_wins_over_the_home_and_the_environment_over_both(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "caselore.toml").write_text(
        "bank = 'home'\n[weights]\nsame_service = 1\nrecency = 2"
    )

    near = load(tmp_path, "bank = 'near'\n[weights]\nsame_service = 9")

    assert near.bank == "near"
    assert near.weights == {"same_service": 9, "recency": 2}
    assert load(tmp_path, CASELORE_BANK="env").bank == "env"


def test_families_of_the_nearer_file_are_asked_first(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "caselore.toml").write_text("[[family]]\nname = 'far'")

    found = load(tmp_path, "[[family]]\nname = 'near'")

    assert [one["name"] for one in found.families] == ["near", "far"]


@pytest.mark.parametrize("name", sorted(settings.AGENT_MARKERS))
def test_every_marker_is_seen_and_taken_out_of_a_clean_environment(name):
    assert settings.agent_marker({name: "1"}) == name
    assert settings.agent_marker({name: ""}) is None
    assert settings.without_agent_markers({name: "1", "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize("name", ["CODEX_HOME", "AIDER_MODEL", "CURSOR_TRACE_ID", "REPL_ID"])
def test_what_people_set_themselves_is_no_marker(name):
    assert settings.agent_marker({name: "1"}) is None


@pytest.mark.parametrize("name", ["gpt-4", "openai:", ":x"])
def test_a_model_of_the_wrong_form_is_wrong_use(tmp_path, name):
    with pytest.raises(WrongUse):
        load(tmp_path, CASELORE_MODEL=name)


def test_where_a_model_is_reached_comes_from_the_environment_alone(tmp_path):
    given = load(
        tmp_path,
        CASELORE_MODEL="openai:gpt",
        CASELORE_MODEL_URL="http://127.0.0.1:1/v1",
        CASELORE_MODEL_KEY="sk-1",
    )

    assert (given.model, given.model_url, given.model_key) == (
        "openai:gpt", "http://127.0.0.1:1/v1", "sk-1",
    )  # fmt: skip
    assert "sk-1" not in repr(given)
    for key in ("model_url", "model_key"):
        (tmp_path / "caselore.toml").write_text(f'{key} = "x"\n')
        with pytest.raises(WrongUse, match="not taken from a file"):
            load(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model_limits.week]\ntokens = 1\n", "week"),
        ("[model_limits.call]\nlines = 1\n", "lines"),
        ("[model_limits.call]\ntokens = 'x'\n", "number"),
        ("[model_limits.call]\ntokens = -1\n", "finite"),
        ("[model_limits.day]\ndollars = inf\n", "finite"),
        ("[model_limits]\ncall = 3\n", "call"),
    ],
)
def test_a_limit_that_is_none_is_refused(tmp_path, text, words):
    (tmp_path / "caselore.toml").write_text(text)

    with pytest.raises(WrongUse, match=words):
        models.limits_of(load(tmp_path).model_limits)


def test_limits_are_read_over_the_defaults(tmp_path):
    (tmp_path / "caselore.toml").write_text("[model_limits.day]\ndollars = 2\n")

    found = models.limits_of(load(tmp_path).model_limits)

    assert found == replace(DEFAULTS, day=replace(DEFAULTS.day, dollars=2))


def test_every_error_says_what_to_do(tmp_path):
    for environment in ({"CASELORE_DATABASE_URL": "x"}, {"CASELORE_MODEL": "x"}):
        with pytest.raises(CaseloreError) as caught:
            load(tmp_path, **environment)
        assert caught.value.hint


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[weights]\nflor = 1", "floor"),
        ("[weights]\nfloor = 'x'", "number"),
        ("[weights]\nfloor = true", "number"),
        ("[weights]\nrecency = 900", "recency"),
        ("[[family]]\nname = 'x'\nclass = 'code'\npatterns = ['(']", "family"),
        ("[[family]]\nname = 'x'", "class"),
    ],
)
def test_weights_and_families_that_are_none_are_wrong_use_with_a_way_out(tmp_path, toml, says):
    with wiring.build(load(tmp_path, toml)) as app, pytest.raises(WrongUse) as caught:
        app.diagnose(b"x")

    assert says in f"{caught.value} {caught.value.hint}"


def test_a_family_of_ones_own_names_failures_and_imports_alike(tmp_path):
    toml = "[[family]]\nname = 'kettle'\nclass = 'infrastructure'\npatterns = ['kettle is dry']"
    with wiring.build(load(tmp_path, toml)) as app:
        read = app.read(b"ERROR: the kettle is dry\n")
        app.import_incidents(
            [{"deployment_id": 1, "service": "s", "error": "ERROR: the kettle is dry"}]
        )
        imported = app.memory.get("1")

    assert read.signature.family == "kettle"
    assert imported.record.body.signature.family == "kettle"


def test_keys_of_providers_are_known_and_a_stand_in_is_none():
    given = settings.load(
        environment={
            "CASELORE_HOME": "/nowhere",
            "GROQ_API_KEY": " gsk-1234567890 ",
            "ANY_OTHER_API_KEY": "other-123456",
            "AWS_SESSION_TOKEN": "session-123456",
            "OPENAI_API_KEY": "ollama",
            "PATH": "/usr/bin:/usr/local/bin",
        }
    )

    assert given.provider_keys == ("other-123456", "session-123456", "gsk-1234567890")
    assert "gsk-1234567890" not in repr(given)
