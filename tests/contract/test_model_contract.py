"""What every model behind the seam must do: the double, a recording, a server on loopback."""

from __future__ import annotations

import pytest

from caselore.errors import ModelBusy, ModelGarbled, ModelUnavailable, Unavailable, WrongUse
from caselore.llm.ports import Budget, Prompt
from caselore.llm.providers import ProvidedModel
from caselore.llm.recorded import RecordedModel, Recorder
from fakes.model_server import Fault, serving
from fakes.scripted_model import ScriptedModel

PROMPT = Prompt("p-1", "the rules", "the evidence")
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
BUDGET = Budget(2, 5_000, 1)


@pytest.fixture(params=["scripted", "recorded", "openai", "groq", "ollama"])
def model(request, tmp_path):
    if request.param == "scripted":
        yield ScriptedModel({"a": 1})
    elif request.param == "recorded":
        file = tmp_path / "answers.jsonl"
        Recorder(ScriptedModel({"a": 1}), file).ask(PROMPT, SCHEMA, BUDGET)
        yield RecordedModel(file)
    else:
        with serving(lambda _: {"a": 1}) as server:
            yield ProvidedModel(f"{request.param}:some/model", url=server.url, key="sk-test")


def test_it_answers_with_an_object_and_with_what_that_cost(model):
    answer = model.ask(PROMPT, SCHEMA, BUDGET)

    assert answer.value == {"a": 1}
    assert (answer.read, answer.written) == (100, 20)
    assert answer.seconds >= 0
    assert ":" in model.name
    assert model.ask(PROMPT, SCHEMA, BUDGET).value == {"a": 1}


def test_a_server_is_sent_rules_evidence_schema_temperature_and_key():
    with serving(lambda _: {"a": 1}) as server:
        ProvidedModel("groq:openai/gpt-oss-120b", url=server.url, key="sk-mine").ask(
            PROMPT, SCHEMA, BUDGET
        )
    (body,) = server.asked

    assert body["model"] == "openai/gpt-oss-120b"
    assert body["temperature"] == 0.1
    assert [one["content"] for one in body["messages"]] == ["the rules", "the evidence"]
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert 0 < body["max_completion_tokens"] <= 5_000
    assert server.keys == ["Bearer sk-mine"]


def test_a_server_that_knows_no_schema_is_asked_for_plain_json():
    def reply(body):
        return Fault("status", 400) if "response_format" in body else {"a": 1}

    with serving(reply) as server:
        answer = ProvidedModel("openai:old", url=server.url).ask(PROMPT, SCHEMA, BUDGET)

    assert answer.value == {"a": 1}
    assert '"additionalProperties"' in server.asked[1]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (Fault("status", 429, (("Retry-After", "3"),)), ModelBusy, "429"),
        (Fault("status", 503), ModelBusy, "503"),
        (Fault("status", 401), ModelUnavailable, "401"),
        (Fault("status", 400), ModelUnavailable, "400"),
        (Fault("html"), ModelUnavailable, "reached"),
        (Fault("shapeless"), ModelGarbled, "no known form"),
        (Fault("hangup"), ModelUnavailable, "reached"),
        (Fault("flood"), ModelUnavailable, "reached"),
        (Fault("stall"), ModelUnavailable, "within 1 seconds"),
        (Fault("drip"), ModelUnavailable, "within 1 seconds"),
        (Fault("halfway"), ModelUnavailable, "within 1 seconds"),
        (Fault("redirect"), ModelUnavailable, "302|reached"),
        (Fault("bomb"), ModelUnavailable, "reached"),
        (Fault("typed"), ModelUnavailable, "reached|no known form"),
        (Fault("status", 429), ModelBusy, "429"),
        ("no JSON at all", ModelGarbled, "JSON"),
        ('{"a": 1', ModelGarbled, "JSON"),
    ],
    ids=str,
)
def test_a_server_that_misbehaves_is_a_clear_error_without_its_words(fault, error, words):
    with serving(lambda _: fault) as server:
        model = ProvidedModel("openai:odd", url=server.url, key="sk-secret-key")
        with pytest.raises(error, match=words) as caught:
            model.ask(PROMPT, SCHEMA, Budget(1 if "within" in words else 30, 5_000, 1))

    assert "SECRET-ECHO" not in str(caught.value)
    assert "sk-secret-key" not in f"{caught.value!r}{caught.value.hint}"
    assert caught.value.hint
    assert getattr(caught.value, "after", 3.0) in (3.0, 0.0)


def test_a_server_that_is_not_there_is_a_clear_error():
    with pytest.raises(ModelUnavailable, match="reached"):
        ProvidedModel("openai:x", url="http://127.0.0.1:9/v1").ask(PROMPT, SCHEMA, BUDGET)


def test_an_unknown_provider_is_wrong_use_and_says_what_to_do():
    with pytest.raises(WrongUse, match="nobody") as caught:
        ProvidedModel("nobody:x")
    assert "CASELORE_MODEL_URL" in caught.value.hint


@pytest.mark.parametrize("name", ["openai:gpt-5", "groq:openai/gpt-oss-120b", "anthropic:x"])
def test_a_missing_key_is_told_when_the_model_is_chosen(name, monkeypatch):
    for variable in ("OPENAI_API_KEY", "GROQ_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    with pytest.raises(Unavailable, match="key") as caught:
        ProvidedModel(name)
    assert "CASELORE_MODEL_KEY" in caught.value.hint


@pytest.mark.parametrize("name", ["groq:openai/gpt-oss-120b", "openai:gpt-5", "anthropic:claude"])
def test_a_given_key_is_enough(name):
    assert ProvidedModel(name, key="sk-test").name == name
