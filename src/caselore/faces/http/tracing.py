"""Tells an OpenTelemetry collector of each request, where one is set and the extra is installed.

Must not tell what a caller sent: a span has the route's template, the status and the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Protocol

from caselore.errors import Unavailable
from caselore.settings import Settings


class Traces(Protocol):
    """What hears of requests."""

    def tell(
        self, method: str, route: str, status: int, seconds: float, headers: Mapping[str, str]
    ) -> None:
        """Hear of one request that ended just now."""

    def close(self) -> None:
        """Send what is left."""


class Silent:
    """Hears of requests and tells nobody."""

    def tell(
        self, method: str, route: str, status: int, seconds: float, headers: Mapping[str, str]
    ) -> None:
        """Hear of one request."""

    def close(self) -> None:
        """Send nothing."""


class Collector:
    """Sends one span a request, in batches, in the background."""

    def __init__(self) -> None:
        """Read the collector's address from the variables of OpenTelemetry itself."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        about = {"service.name": "caselore", "service.version": version("caselore")}
        self._provider = TracerProvider(resource=Resource.create(about))
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("caselore.http")

    def tell(
        self, method: str, route: str, status: int, seconds: float, headers: Mapping[str, str]
    ) -> None:
        """Make the span of one request, beneath the caller's own where it names one."""
        from time import time_ns  # noqa: PLC0415 - a span's end, for the collector alone

        from opentelemetry.propagate import extract  # noqa: PLC0415
        from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415

        end = time_ns()
        span = self._tracer.start_span(
            f"{method} {route}",
            context=extract(dict(headers)),
            kind=SpanKind.SERVER,
            start_time=end - int(seconds * 1e9),
            attributes={
                "http.request.method": method,
                "http.route": route,
                "http.response.status_code": status,
            },
        )
        if status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


def traces(settings: Settings) -> Traces:
    """Choose who hears of requests. Raises: Unavailable where the extra is not installed."""
    if not settings.telemetry:
        return Silent()
    try:
        return Collector()
    except ImportError:
        raise Unavailable(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, and OpenTelemetry is not installed.",
            hint="pip install 'caselore[telemetry]', or unset the variable.",
        ) from None
