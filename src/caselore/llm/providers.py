"""Asks real models through pydantic-ai: OpenAI-compatible endpoints, Anthropic, Bedrock, Google.

Must not be imported before a model is asked (it is slow to load), must not retry, and must not
put a prompt, an answer or a key into an error.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
import warnings
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any

import httpx2
from pydantic_ai import exceptions as failing
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model as Provided
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from caselore.errors import ModelBusy, ModelGarbled, ModelUnavailable, WrongUse
from caselore.llm.parsing import object_in
from caselore.llm.ports import Answer, Budget, Prompt, Schema

LOCAL = {"ollama": "http://127.0.0.1:11434/v1", "vllm": "http://127.0.0.1:8000/v1"}
OTHERS = ("anthropic", "bedrock", "google", "google-gla", "google-vertex", "groq", "openai")
WRITTEN = 3_000  # tokens of an answer at most
MOST_BYTES = 4_000_000  # of one answer: a server that never ends is cut off
_ASK = "Answer with one JSON object of this schema and with nothing else:\n"


class ProvidedModel:
    """A model of a provider."""

    def __init__(
        self,
        name: str,
        *,
        url: str = "",
        key: str = "",
        keys: Iterable[str] = (),
        temperature: float = 0.1,
    ) -> None:
        """Look up PROVIDER:NAME; `url` is the address of an OpenAI-compatible server.

        `keys` are those of providers' own variables, which an answer may repeat.

        Raises: WrongUse for a provider that is none; ModelUnavailable where its key or package is
        missing.
        """
        self.name = name
        self._url, self._key, self._temperature = url, key, temperature
        self._keys = tuple(keys)
        _provided(
            name, url, key
        )  # what is wrong with the settings is said before anything is read

    def ask(self, prompt: Prompt, schema: Schema, budget: Budget) -> Answer:
        """Ask once, all of it within the budget's seconds. See `ports.Model`."""
        began = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a provider that knows no temperature says so
            answer = asyncio.run(self._within(prompt, schema, budget))
        return Answer(
            value=_value(answer, self._keys),
            model=self.name,
            read=max(0, answer.usage.input_tokens or 0),
            written=max(0, answer.usage.output_tokens or 0),
            dollars=_dollars(answer),
            seconds=time.monotonic() - began,
        )

    async def _within(self, prompt: Prompt, schema: Schema, budget: Budget) -> ModelResponse:
        """Hold the whole exchange to the budget: a server that drips bytes stalls, too."""
        try:
            async with (
                asyncio.timeout(budget.seconds),
                _provided(self.name, self._url, self._key) as model,
            ):
                return await self._asked(model, prompt, schema, budget)
        except TimeoutError:
            raise ModelUnavailable(
                f"The model {self.name} did not answer within {_figure(budget.seconds)} seconds."
            ) from None

    async def _asked(
        self, model: Provided, prompt: Prompt, schema: Schema, budget: Budget
    ) -> ModelResponse:
        modes = _modes(model)
        for mode in modes:
            try:
                return await self._call(model, prompt, schema, budget, mode)
            except failing.ModelAPIError as error:
                status = getattr(error, "status_code", 0)
                # an endpoint that knows no schemas says so: ask it for plain JSON instead
                if status not in (400, 404, 422, 501) or mode == modes[-1]:
                    raise _failure(self.name, error, status) from None
            except failing.UserError:
                raise ModelUnavailable(f"The model {self.name} cannot be used as asked.") from None
            except (failing.AgentRunError, ValueError, TypeError, AttributeError) as error:
                raise ModelGarbled(
                    f"The model {self.name} answered in no known form ({type(error).__name__})."
                ) from None
        raise AssertionError("the last mode returns or raises")

    async def _call(
        self, model: Provided, prompt: Prompt, schema: Schema, budget: Budget, mode: str
    ) -> ModelResponse:
        native = mode == "native"
        rules = prompt.rules if native else f"{prompt.rules}\n\n{_ASK}{json.dumps(schema)}"
        shape = OutputObjectDefinition(json_schema=dict(schema), name="answer", strict=True)
        return await model_request(
            model,
            [ModelRequest.user_text_prompt(prompt.evidence, instructions=rules)],
            model_settings=ModelSettings(
                temperature=self._temperature,
                max_tokens=max(1, min(WRITTEN, budget.tokens - prompt.size // 3)),
                timeout=budget.seconds,
                max_retries=0,
            ),
            model_request_parameters=(
                ModelRequestParameters(output_mode="native", output_object=shape)
                if native
                else ModelRequestParameters()
            ),
        )


def _figure(seconds: float) -> str:
    """Write a limit so that a fraction of a second is not told as none."""
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def _modes(model: Provided) -> tuple[str, ...]:
    """Give the ways of asking for JSON, the best first."""
    return ("native", "plain") if model.profile.get("supports_json_schema_output") else ("plain",)


def _provided(name: str, url: str, key: str) -> Provided:
    provider, _, own = name.partition(":")
    address = url or LOCAL.get(provider, "")
    if not address and provider not in OTHERS:
        raise WrongUse(
            f"The provider {provider!r} of {name!r} is none that is known.",
            hint=f"Known are {', '.join(sorted((*OTHERS, *LOCAL)))}; for any other "
            "OpenAI-compatible server set CASELORE_MODEL_URL to its address.",
        )
    try:
        if address:
            return OpenAIChatModel(own, provider=_compatible(address, key))
        return infer_model(name, **_keyed(key))
    except ImportError:
        raise ModelUnavailable(
            f"The model {name} cannot be used: its provider's package is missing.",
            hint="pip install 'caselore[models]'",
        ) from None
    except (failing.UserError, ValueError):
        raise ModelUnavailable(
            f"The model {name} cannot be used: its key is missing or no such model is known.",
            hint="Set the provider's own variable, or CASELORE_MODEL_KEY.",
        ) from None


def _compatible(address: str, key: str) -> OpenAIProvider:
    client = httpx2.AsyncClient(transport=_Capped(verify=_trusted()), follow_redirects=False)
    return OpenAIProvider(base_url=address, api_key=key or None, http_client=client)


@cache
def _trusted() -> ssl.SSLContext:
    """Load the trusted certificates once: it takes longer than all else before a question."""
    return httpx2.create_ssl_context()


def _keyed(key: str) -> dict[str, Any]:
    if not key:
        return {}
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415

    return {"provider_factory": lambda name: infer_provider_class(name)(api_key=key)}  # type: ignore[call-arg]


def _failure(name: str, error: failing.ModelAPIError, status: int) -> ModelUnavailable:
    """Say what a provider answered by its number alone: its text may repeat the prompt."""
    if status == 429 or status >= 500:
        after = float(getattr(error, "retry_after", None) or 0.0)
        return ModelBusy(f"The model {name} is busy (HTTP {status}).", after=after)
    if status:
        return ModelUnavailable(f"The model {name} refused the question (HTTP {status}).")
    return ModelUnavailable(f"The model {name} cannot be reached ({type(error).__name__}).")


def _value(answer: ModelResponse, keys: tuple[str, ...]) -> dict[str, Any]:
    for part in answer.parts:
        if isinstance(part, ToolCallPart):
            return object_in(part.args_as_json_str(), keys)
    text = "".join(part.content for part in answer.parts if isinstance(part, TextPart))
    return object_in(text, keys)


def _dollars(answer: ModelResponse) -> float | None:
    try:
        return float(answer.cost().total_price)
    except (LookupError, ValueError, AttributeError):
        return None


class _Capped(httpx2.AsyncHTTPTransport):
    """A transport whose answers end after a number of bytes."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it, and count what comes back."""
        request.headers["accept-encoding"] = "identity"  # packed, few bytes may become too many
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.ReadError("the answer is packed, though it was asked for plain")
        response.stream = _Counted(response.stream)
        return response


class _Counted(httpx2.AsyncByteStream):
    """A stream that breaks off when it becomes too long."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._stream:
            total += len(chunk)
            if total > MOST_BYTES:
                raise httpx2.ReadError(f"more than {MOST_BYTES} bytes were sent")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
