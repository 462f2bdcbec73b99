"""Many clients at once, for a while: what they were answered, and how long that took."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence

import httpx
from serving import PYTEST

READS = (
    "/",
    "/api/v1/incidents?limit=20",
    "/precedents",
    "/api/v1/ledger?limit=20",
    "/numbers",
    "/api/v1/quarantine",
)


class Load:
    """Clients of some servers until the time is up, and what came of it."""

    def __init__(self, urls: Sequence[str], token: str, seconds: float) -> None:
        self._urls, self._headers = urls, {"Authorization": f"Bearer {token}"}
        self._until, self._lock = time.monotonic() + seconds, threading.Lock()
        self.reads: list[float] = []
        self.writes: list[float] = []
        self.incidents: set[str] = set()
        self.wrong: list[str] = []

    def client(self, place: int) -> httpx.Client:
        url = self._urls[place % len(self._urls)]
        return httpx.Client(base_url=url, headers=self._headers, timeout=60)

    def read(self, place: int) -> None:
        """Look at a page or a list, again and again, as a person does who looks at what came."""
        chance = random.Random(place)
        with self.client(place) as own:
            while time.monotonic() < self._until:
                path = chance.choice(READS)
                self._ask(lambda path=path: own.get(path), 200, self.reads)
                time.sleep(chance.uniform(0.2, 0.8))

    def write(self, place: int) -> None:
        """Submit failed jobs, one after the other."""
        number = 0
        with self.client(place) as own:
            while time.monotonic() < self._until:
                number += 1
                name = f"w{place}-{number}"
                body = {
                    "log": PYTEST.replace("cents", f"cents_{place}_{number % 7}"),
                    "service": f"service-{place}",
                    "deployment": name,
                }
                key = {"Idempotency-Key": name}
                post = lambda body=body, key=key: own.post(  # noqa: E731
                    "/api/v1/incidents", json=body, headers=key
                )
                answer = self._ask(post, 201, self.writes)
                if answer is not None:
                    with self._lock:
                        self.incidents.add(answer.json()["incident"])
                time.sleep(0.1)

    def _ask(
        self, ask: Callable[[], httpx.Response], wanted: int, times: list[float]
    ) -> httpx.Response | None:
        began = time.monotonic()
        answer = ask()
        with self._lock:
            times.append(time.monotonic() - began)
            if answer.status_code != wanted:
                self.wrong.append(f"{answer.url} {answer.status_code} {answer.text}")
                return None
        return answer

    def safely(self, act: Callable[[int], None], place: int) -> None:
        """Let a client work; what breaks it is wrong."""
        try:
            act(place)
        except (httpx.HTTPError, OSError) as error:
            with self._lock:
                self.wrong.append(repr(error))


def put(
    urls: Sequence[str], token: str, *, seconds: float, readers: int = 50, writers: int = 5
) -> Load:
    """Let clients read and write, spread over the servers, until the time is up."""
    load = Load(urls, token, seconds)
    clients = [(load.read, n) for n in range(readers)] + [(load.write, n) for n in range(writers)]
    threads = [threading.Thread(target=load.safely, args=one) for one in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 120)
    return load
