"""Embeds by an endpoint that speaks the form of OpenAI's /v1/embeddings.

Must not put a text, an answer or a key into an error, follow a redirect, or ask again by itself.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from caselore.errors import Unavailable
from caselore.memory.arm_ports import Vector

CONNECT, WHOLE = 3.0, 20.0  # seconds to be answered at all, and of one answer as a whole
MOST_BYTES = 32 * 1024 * 1024  # of one answer: 64 vectors of 3,072 numbers are 4 MB
MOST_WIDE = 8_192  # numbers a vector
REST = 30.0  # seconds in which an endpoint that failed is not asked again


class EmbeddingsEndpoint:
    """One model of one endpoint."""

    def __init__(
        self,
        url: str,
        name: str,
        key: str = "",
        *,
        whole: float = WHOLE,
        rest: float = REST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask `url`/embeddings for the model `name`. Nothing is sent before a text is embedded."""
        self._url, self._name, self._key = url.rstrip("/"), name, key
        self._whole, self._rest, self._clock = whole, rest, clock
        self._host = httpx.URL(self._url).host
        self._rests_until, self._last = 0.0, ""
        self.model = f"{name} at {self._host}"

    def records(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each text. Raises: Unavailable."""
        return self._embedded(texts)

    def questions(self, texts: Sequence[str]) -> list[Vector]:
        """Give a vector for each question. Raises: Unavailable."""
        return self._embedded(texts)

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        if self._clock() < self._rests_until:
            raise Unavailable(f"{self._last} It is left in peace for {self._rest:.0f} seconds.")
        try:
            return _vectors(self._asked(texts), len(texts), self._host)
        except Unavailable as error:
            self._rests_until, self._last = self._clock() + self._rest, str(error)
            raise

    def _asked(self, texts: Sequence[str]) -> bytes:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        body = {"model": self._name, "input": list(texts), "encoding_format": "float"}
        limits = httpx.Timeout(self._whole, connect=CONNECT)
        try:
            with (
                httpx.Client(timeout=limits, follow_redirects=False) as client,
                client.stream(
                    "POST", f"{self._url}/embeddings", headers=headers, json=body
                ) as answer,
            ):
                if answer.status_code != 200:
                    raise _refused(self._host, answer.status_code)
                return self._read(answer)
        except httpx.TimeoutException:
            raise Unavailable(f"The embeddings of {self._host} did not come in time.") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise Unavailable(
                f"The embeddings of {self._host} cannot be reached ({type(error).__name__})."
            ) from None

    def _read(self, answer: httpx.Response) -> bytes:
        """Read an answer within its size and its time: one that drips is a slow one."""
        began, data = self._clock(), bytearray()
        for chunk in answer.iter_bytes():
            data += chunk
            if len(data) > MOST_BYTES:
                raise Unavailable(f"{self._host} sent more than {MOST_BYTES} bytes of vectors.")
            if self._clock() - began > self._whole:
                raise Unavailable(f"The embeddings of {self._host} did not come in time.")
        return bytes(data)


def _refused(host: str, status: int) -> Unavailable:
    hint = "Check the key and the model's name." if status in (400, 401, 403, 404) else ""
    return Unavailable(f"{host} gave no embeddings (HTTP {status}).", hint=hint)


def _vectors(data: bytes, wanted: int, host: str) -> list[Vector]:
    """Read the vectors in the order of their texts, or say that these are none."""
    try:
        rows = json.loads(data)["data"]
        placed: dict[int, Any] = {row["index"]: row["embedding"] for row in rows}
        found: list[Vector] = [[float(one) for one in placed[at]] for at in range(wanted)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unavailable(f"{host} answered in no form of embeddings.") from None
    widths = {len(one) for one in found}
    sound = all(math.isfinite(one) for row in found for one in row)
    if len(placed) != wanted or len(widths) != 1 or not 0 < widths.pop() <= MOST_WIDE or not sound:
        raise Unavailable(f"{host} answered in no form of embeddings.")
    return found
