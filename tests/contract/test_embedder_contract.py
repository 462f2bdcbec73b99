"""Every model of vectors keeps one contract: the packaged one, an endpoint, and the tests' own."""

from __future__ import annotations

import math

import pytest

from caselore.errors import Unavailable
from caselore.memory.stores.embeddings_endpoint import EmbeddingsEndpoint
from caselore.memory.stores.packaged_embedder import PackagedEmbedder
from caselore.memory.yardstick import centred, measured
from fakes.embedder import TableEmbedder
from fakes.embeddings_server import serving

KEY = "sk-live-0123456789abcdefABCDEF"
TEXTS = ["no space left on device", "the drive is full", "peer dependency of react"]
ODD = ["", "\0 in between", "half \ud800 a character", "磁盘已满 💾", "x" * 5_000]


@pytest.fixture(scope="module")
def packaged():
    return PackagedEmbedder()


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture(params=["table", "packaged", "endpoint"])
def embedder(request, packaged, server):
    server.fault = ""
    made = {
        "table": TableEmbedder,
        "packaged": lambda: packaged,
        "endpoint": lambda: EmbeddingsEndpoint(server.url, "table", KEY),
    }
    return made[request.param]()


def test_each_text_has_one_vector_in_its_order_and_the_same_each_time(embedder):
    together = embedder.records(TEXTS)
    alone = [embedder.records([text])[0] for text in TEXTS]

    assert [list(one) for one in together] == [list(one) for one in alone]
    assert len({len(one) for one in together}) == 1
    assert len({tuple(one) for one in together}) == len(TEXTS)


def test_questions_have_vectors_of_the_same_length(embedder):
    (record,), (question,) = embedder.records(TEXTS[:1]), embedder.questions(TEXTS[:1])

    assert len(record) == len(question) > 1
    assert all(math.isfinite(one) for one in (*record, *question))


@pytest.mark.parametrize("text", ODD, ids=["empty", "nul", "half", "wide", "long"])
def test_odd_texts_have_vectors_too(embedder, text):
    if "\ud800" in text:
        text = text.encode("utf-8", "replace").decode()  # what JSON can carry
    (vector,) = embedder.records([text])

    assert all(math.isfinite(one) for one in vector)


def test_its_yardstick_puts_what_belongs_together_above_what_does_not(embedder):
    stick = measured(embedder)
    full, _, react = (centred(one, stick.record) for one in embedder.records(TEXTS))
    (asked,) = (
        centred(one, stick.question)
        for one in embedder.questions(["no space left, the disk is full"])
    )

    def deviations(record):
        return stick.deviations(sum(a * b for a, b in zip(asked, record, strict=True)))

    assert deviations(full) > 3 > deviations(react)


def test_the_packaged_model_takes_characters_cut_in_half(packaged):
    assert packaged.records(["half \ud800"]) == packaged.records(["half ?"])


def test_the_key_goes_to_the_endpoint_and_nowhere_else(server):
    server.fault = ""
    endpoint = EmbeddingsEndpoint(server.url, "table", KEY)
    endpoint.questions(["why"])

    assert server.keys[-1] == f"Bearer {KEY}"
    assert KEY not in endpoint.model


FAULTS = [
    "refuses", "fails", "redirects", "stalls", "drips", "floods", "page", "shapeless", "short", "doubled",
    "uneven", "infinite", "worded",
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_an_endpoint_does_wrong_is_one_kind_of_error_without_its_words(server, fault):
    server.fault = fault
    endpoint = EmbeddingsEndpoint(server.url, "table", KEY, whole=0.5)

    with pytest.raises(Unavailable) as caught:
        endpoint.records(["a text", "and another"])

    said = f"{caught.value} {caught.value.hint}"
    assert "127.0.0.1" in said
    assert not any(word in said for word in (KEY, "SECRET-ECHO", "a text"))


def test_an_endpoint_that_is_not_there_is_the_same_error():
    with pytest.raises(Unavailable, match="cannot be reached"):
        EmbeddingsEndpoint("http://127.0.0.1:9/v1", "table").questions(["why"])


def test_an_endpoint_that_failed_is_left_in_peace_for_a_while(server):
    now = [0.0]
    server.fault = "fails"
    endpoint = EmbeddingsEndpoint(server.url, "table", clock=lambda: now[0])
    with pytest.raises(Unavailable):
        endpoint.questions(["why"])
    server.fault, before = "", server.requests

    with pytest.raises(Unavailable, match="left in peace"):
        endpoint.questions(["why"])
    assert server.requests == before

    now[0] = 31.0
    assert endpoint.questions(["why"])
