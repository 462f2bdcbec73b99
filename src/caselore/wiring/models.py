"""Chooses the language model that the settings name, and puts its limits and its account on.

Must not ask anything itself, and must not load a model's library before one is named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caselore.errors import BadInput, Unavailable, WrongUse
from caselore.settings import Settings, model_name, nearest

if TYPE_CHECKING:
    from caselore.llm.meter import Call, Limits
    from caselore.llm.ports import Budget, Model
    from caselore.memory.api import Memory
    from caselore.memory.records import Actor, ModelCall

_RECORDED = "recorded"


def model_of(settings: Settings, name: str | None = None) -> Model | None:
    """Give the named model, or none. `recorded:FILE` replays a file.

    Raises: WrongUse for a name that is none; Unavailable where its package or key is missing.
    """
    chosen = model_name(name or settings.model)
    if chosen == "none":
        return None
    provider, _, own = chosen.partition(":")
    if provider == _RECORDED:
        from caselore.llm.recorded import RecordedModel  # noqa: PLC0415

        return RecordedModel(Path(own))
    try:
        from caselore.llm.providers import ProvidedModel  # noqa: PLC0415
    except ImportError:
        raise Unavailable(
            f"The model {chosen} needs pydantic-ai, which is not installed.",
            hint="pip install 'caselore[models]'; or leave the model out, it is never required.",
        ) from None
    return ProvidedModel(
        chosen,
        url=settings.model_url,
        key=settings.model_key,
        keys=settings.provider_keys,
        temperature=settings.model_temperature,
    )


def metered(
    model: Model,
    memory: Memory,
    actor: Actor,
    limits: Limits,
    now: Callable[[], datetime],
    tell: Callable[[str], None] | None = None,
) -> Callable[[str], Model]:
    """Give the model for a subject, within limits and with each call in the ledger."""
    from caselore.llm.meter import Meter, quiet  # noqa: PLC0415

    def for_subject(subject: str) -> Model:
        book = _Book(memory, actor, now, subject)
        return Meter(model, limits, book, time.monotonic, time.sleep, tell or quiet)

    return for_subject


class _Book:
    """The ledger as the account of one subject's calls."""

    def __init__(
        self, memory: Memory, actor: Actor, now: Callable[[], datetime], subject: str
    ) -> None:
        self._memory, self._actor, self._now, self._subject = memory, actor, now, subject

    def open(self, decide: Callable[[Budget], Call]) -> int:
        """Write what a call may cost at most, unless `decide` raises."""
        midnight = self._now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return self._memory.open_call(
            lambda calls: _kept(decide(_spent(calls)), self._subject), self._actor, midnight
        )

    def close(self, opened: int, call: Call) -> None:
        """Write what it cost."""
        self._memory.keep_call(replace(_kept(call, self._subject), opened=opened), self._actor)


def limits_of(given: Mapping[str, Any]) -> Limits:
    """Read [model_limits] over the defaults: `call`, `incident` and `day`, each with its figures.

    Raises: WrongUse for a name that is none, BadInput for a figure that is no limit.
    """
    from caselore.llm.meter import DEFAULTS, Limits  # noqa: PLC0415

    spans = {"call": DEFAULTS.call, "incident": DEFAULTS.subject, "day": DEFAULTS.day}
    for name, figures in given.items():
        if name not in spans or not isinstance(figures, Mapping):
            raise WrongUse(
                f"[model_limits] has no table {name!r}.", hint=nearest(name, tuple(spans))
            )
        spans[name] = _budget(name, spans[name], figures)
    return Limits(spans["call"], spans["incident"], spans["day"])


def _budget(name: str, default: Budget, figures: Mapping[str, Any]) -> Budget:
    known = ("seconds", "tokens", "dollars")
    for figure, value in figures.items():
        if figure not in known:
            raise WrongUse(
                f"[model_limits.{name}] has no {figure!r}.", hint=nearest(figure, known)
            )
        if type(value) not in (int, float):
            raise BadInput(f"[model_limits.{name}] {figure} must be a number.")
    try:
        return replace(default, **figures)
    except ValueError as error:
        raise BadInput(f"[model_limits.{name}]: {error}.", hint="There is no unlimited.") from None


def _spent(calls: Iterable[ModelCall]) -> Budget:
    from caselore.llm.ports import NOTHING, Budget  # noqa: PLC0415

    each = (
        Budget(max(0.0, one.seconds), one.read + one.written, one.dollars or 0.0) for one in calls
    )
    return reduce(Budget.plus, each, NOTHING)


def _kept(call: Call, subject: str) -> ModelCall:
    from caselore.memory.records import ModelCall  # noqa: PLC0415

    return ModelCall(
        model=call.model,
        prompt=call.prompt,
        hash=call.hash,
        result=call.result,
        read=call.read,
        written=call.written,
        dollars=call.dollars,
        seconds=round(call.seconds, 3),
        subject=subject,
    )
