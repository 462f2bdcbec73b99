"""Counts requests and their times, and writes them as Prometheus reads them.

Must not name a request by anything that a caller chose: routes have templates.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


class Metrics:
    """The counters of one process; safe between threads."""

    def __init__(self) -> None:
        """Start at zero."""
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._times: Counter[str] = Counter()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request; `route` is its template."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._times[route] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            for bound in BOUNDS:
                if seconds <= bound:
                    self._buckets[route, bound] += 1

    def text(self, head: int, held: int) -> str:
        """Write everything, with the ledger's length and what the guards hold."""
        with self._lock:
            return "\n".join([*self._lines(), *_gauges(head, held), ""])

    def _lines(self) -> Iterator[str]:
        yield "# HELP caselore_requests_total Requests by method, route and status."
        yield "# TYPE caselore_requests_total counter"
        for (method, route, status), times in sorted(self._requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"caselore_requests_total{{{labels}}} {times}"
        yield "# HELP caselore_request_seconds How long requests took."
        yield "# TYPE caselore_request_seconds histogram"
        for route, times in sorted(self._times.items()):
            for bound in BOUNDS:
                labels = f'route="{route}",le="{bound}"'
                yield f"caselore_request_seconds_bucket{{{labels}}} {self._buckets[route, bound]}"
            yield f'caselore_request_seconds_bucket{{route="{route}",le="+Inf"}} {times}'
            yield f'caselore_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'caselore_request_seconds_count{{route="{route}"}} {times}'


def _gauges(head: int, held: int) -> Iterator[str]:
    yield "# HELP caselore_ledger_entries Entries of the ledger."
    yield "# TYPE caselore_ledger_entries gauge"
    yield f"caselore_ledger_entries {head}"
    yield "# HELP caselore_quarantine_held What guards hold until a person looks at it."
    yield "# TYPE caselore_quarantine_held gauge"
    yield f"caselore_quarantine_held {held}"
