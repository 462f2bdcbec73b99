"""One bank of a Hindsight server, through its own client.

The client is asynchronous within and bound to the thread that made it, so each call has one of
its own and a deadline for the whole of it. Must not put a text or a key into an error, nor change
the settings of a bank that is there already.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import aiohttp
import pydantic
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException, NotFoundException

from caselore.errors import Unavailable
from caselore.memory.mirror_ports import Kept, Unit

RECALLING, WRITING = 3.0, 60.0  # seconds of a call as a whole
PAGE = 200
QUESTION = 1_200  # characters: a question of more than 500 tokens is refused there
ANSWER = 8_192  # tokens of text that an answer may have
Taken = TypeVar("Taken")


class HindsightBank:
    """A bank by its server's address and its name."""

    def __init__(
        self, url: str, bank: str, key: str = "", *, recalling: float = RECALLING
    ) -> None:
        """Name the bank; nothing is sent before it is used."""
        self._url, self._bank, self._key, self._recalling = url, bank, key, recalling
        self._made = False
        self.name = f"Hindsight's bank {bank}"

    def retain(self, records: Sequence[Kept]) -> None:
        """Keep records; one that is kept already is replaced. Raises: Unavailable."""
        if not records:
            return
        self._must_be_there()
        items = [
            {
                "content": one.text,
                "document_id": one.id,
                "timestamp": one.at,
                "context": "confirmed by a person in caselore",
                "metadata": {"service": one.service, "result": one.result},
            }
            for one in records
        ]
        answer = self._called(WRITING, lambda bank: bank.aretain_batch(self._bank, items))
        if not answer.success:
            raise Unavailable(f"{self.name} did not keep what was sent.")

    def remove(self, id: str) -> None:
        """Remove a document and its memories. Raises: Unavailable."""
        try:
            self._called(WRITING, lambda bank: bank.documents.delete_document(self._bank, id))
        except LookupError:
            return

    def recall(self, question: str, limit: int) -> list[str]:
        """Give the documents of the closest memories, best first. Raises: Unavailable."""
        asked = question[:QUESTION]
        try:
            found = self._called(
                self._recalling,
                lambda bank: bank.arecall(
                    self._bank, asked, max_tokens=ANSWER, include_entities=False
                ),
            )
        except LookupError:
            return []
        names = (one.document_id for one in found.results or ())
        return list(dict.fromkeys(str(one) for one in names if one))[:limit]

    def units(self) -> Iterator[Unit]:
        """Give all valid memories, page by page. Raises: Unavailable; LookupError for no bank."""
        at = 0
        while True:
            page = self._listed(at)
            for one in page.items:
                yield _unit(one)
            at += len(page.items)
            if not page.items or at >= page.total:
                return

    def _listed(self, at: int) -> Any:
        return self._called(
            WRITING,
            lambda bank: bank.alist_memories(self._bank, limit=PAGE, offset=at, state="valid"),
        )

    def _must_be_there(self) -> None:
        """Make the bank once, so that it keeps texts as they are told; leave one that exists."""
        if self._made:
            return
        known = self._called(WRITING, lambda bank: bank.banks.list_banks(q=self._bank))
        if self._bank not in {one.bank_id for one in known.banks}:
            self._called(
                WRITING,
                lambda bank: bank.acreate_bank(
                    self._bank, retain_extraction_mode="chunks", enable_observations=False
                ),
            )
        self._made = True

    def _called(
        self, seconds: float, work: Callable[[Hindsight], Coroutine[Any, Any, Taken]]
    ) -> Taken:
        """Call within a time. Raises: Unavailable; LookupError where there is no such thing."""
        loop = asyncio.new_event_loop()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a loop and a session that end with the call
                client = Hindsight(self._url, self._key or None, seconds, max_attempts=1)
                try:
                    return loop.run_until_complete(asyncio.wait_for(work(client), seconds))
                finally:
                    loop.run_until_complete(client.aclose())  # type: ignore[no-untyped-call]
        except NotFoundException:
            raise LookupError from None
        except ApiException as error:
            raise Unavailable(f"{self.name} refused the call (HTTP {error.status}).") from None
        except TimeoutError:
            raise Unavailable(f"{self.name} did not answer within {seconds:g} seconds.") from None
        except (aiohttp.ClientError, OSError, ValueError, pydantic.ValidationError) as error:
            raise Unavailable(f"{self.name} cannot be reached ({type(error).__name__}).") from None
        finally:
            loop.close()


def _unit(one: Any) -> Unit:
    """Read one listed memory: the client gives objects or, in earlier versions, dictionaries."""
    row = one if isinstance(one, dict) else one.model_dump()
    at = row.get("occurred_start") or row.get("mentioned_at") or row.get("var_date") or ""
    service = (row.get("metadata") or {}).get("service", "")
    return Unit(
        str(row["id"]), str(row.get("document_id") or ""), str(row["text"]), str(at), str(service)
    )
