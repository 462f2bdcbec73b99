"""Chooses the language model that the settings name, and puts its limits and its account on.

Must not ask anything itself, and must not load a model's library before one is named.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
    from caselore.memory.records import Actor

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
        temperature=settings.model_temperature,
    )


def metered(
    model: Model, memory: Memory, actor: Actor, limits: Limits, now: Callable[[], datetime]
) -> Callable[[str], Model]:
    """Give the model for a subject, within limits and with each call in the ledger."""
    from caselore.llm.meter import Meter  # noqa: PLC0415

    def today() -> Budget:
        return _spent(memory, now())

    def for_subject(subject: str) -> Model:
        def account(call: Call) -> None:
            memory.keep_call(_kept(call, subject), actor)

        return Meter(model, limits, today, account, time.monotonic, time.sleep)

    return for_subject


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


def _spent(memory: Memory, now: datetime) -> Budget:
    from caselore.llm.ports import NOTHING, Budget  # noqa: PLC0415

    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    calls = (
        Budget(max(0.0, one.seconds), one.read + one.written, one.dollars or 0.0)
        for one in memory.calls(midnight)
    )
    return reduce(Budget.plus, calls, NOTHING)


def _kept(call: Call, subject: str) -> Any:
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
