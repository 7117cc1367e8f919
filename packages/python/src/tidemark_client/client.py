"""The client: one call, all pages of a list, the stream of events."""

from __future__ import annotations

import ipaddress
import math
import random
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import httpx

from .errors import error_of, retry_after_of

Json = dict[str, Any]

FIRST_WAIT = 1.0
MAX_GROWN = 60.0
MAX_WAIT = 300.0
# Clients of one outage come back apart.
JITTER = 0.2
# How long a call may wait for an event at the server, and what its time limit leaves for the answer.
MAX_HELD = 50
ANSWER = 10
# Python sleeps for no endless time.
MAX_IDLE = 2.0**31


class Tidemark:
    """Calls one API with one key. Close it, or use it in a `with`.

    A call is tried again after 429, 5xx and a lost connection, after growing pauses, and
    as long as `Retry-After` says up to five minutes. All tries have one Idempotency-Key, so the call is charged once.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        retries: int = 4,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """:param base_url: the site's address, without `/v1`; plain HTTP only on this machine"""
        _require_safe(httpx.URL(base_url))
        self._retries = retries
        self._held = max(0, min(MAX_HELD, int(timeout - ANSWER)))
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/v1",
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Tidemark:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, *, idempotency_key: str | None = None, **query: Any) -> Json:
        """The whole answer of a path such as `/funds`. Raises a TidemarkError for any error answer.

        A list as a value is sent with commas; None is left out.
        """
        return self._ask(path, query, idempotency_key, self._retries)

    def brief(self, ticker: str) -> Json:
        """The capital-change brief of a ticker, ready for `verify`."""
        return self.get(f"/stocks/{quote(ticker, safe='')}/capital-change-brief")["data"]

    def evidence(self, brief_id: str) -> list[Json]:
        """Every filing behind a brief, ready for `verify_evidence`."""
        return list(self.rows(f"/briefs/{quote(brief_id, safe='')}/evidence", limit=500))

    def pages(self, path: str, **query: Any) -> Iterator[Json]:
        """The answers of a list, page by page. Each page is a call and is charged."""
        page, pages = 1, 1
        while page <= pages:
            answer = self.get(path, page=page if page > 1 else None, **query)
            yield answer
            page, pages = page + 1, _pages_of(answer)

    def rows(self, path: str, **query: Any) -> Iterator[Json]:
        """The rows of all pages of a list, ready for `to_frame`."""
        for answer in self.pages(path, **query):
            yield from _rows_of(answer)

    def events(
        self,
        since: int | str | None = None,
        *,
        form: str | None = None,
        tickers: Sequence[str] | None = None,
        limit: int = 200,
        idle: float = 120.0,
    ) -> Iterator[Json]:
        """Every event after `since` in `seq` order, at least once, without end; new ones are waited for.

        Without `since` it begins with the latest. To continue later, store the `seq` of the last event that
        you handled. An empty answer is charged, too: `idle` is the number of seconds from one call to the next
        while nothing happens. Up to 50 of them the call itself waits for an event, which then comes at once.
        """
        wait = int(max(0, min(self._held, idle)))
        while True:
            began = time.monotonic()
            query = {"since": since, "form": form, "tickers": tickers, "limit": limit, "wait": wait}
            page = self._ask("/events", query, None, math.inf)["data"]
            yield from page["events"]
            since = page["next_cursor"]
            if not page["events"]:
                time.sleep(min(max(0.0, idle - (time.monotonic() - began)), MAX_IDLE))

    def _ask(self, path: str, query: Json, idempotency_key: str | None, retries: float) -> Json:
        # httpx takes a whole address in place of the base, and would send the key there.
        if not path.startswith("/") or path.startswith("//"):
            raise ValueError("path must begin with one /")
        params = {name: _text_of(value) for name, value in query.items() if value is not None}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        tries = 0
        while True:
            answer = self._try(path, params, headers, is_last=tries >= retries)
            if answer is not None and answer.is_success:
                return answer.json()
            if answer is not None and (tries >= retries or not _is_temporary(answer)):
                raise error_of(answer)
            asked = None if answer is None else retry_after_of(answer)
            grown = min(FIRST_WAIT * 2 ** min(tries, 10), MAX_GROWN)
            wait = min(max(grown, asked or 0.0), MAX_WAIT)
            time.sleep(wait * random.uniform(1 - JITTER, 1 + JITTER))
            tries += 1

    def _try(self, path: str, params: Json, headers: Json, *, is_last: bool) -> httpx.Response | None:
        """None when the connection was lost."""
        try:
            return self._http.get(path, params=params, headers=headers)
        except httpx.TransportError:
            if is_last:
                raise
            return None


def _require_safe(base: httpx.URL) -> None:
    """The key goes with every request."""
    if base.scheme == "https" or (base.scheme == "http" and _is_here(base.host)):
        return
    raise ValueError("base_url must be https, or http on this machine")


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_temporary(answer: httpx.Response) -> bool:
    """A conflict is an earlier try of the same call that the server still works on."""
    if answer.status_code == 409:
        return error_of(answer).code == "idempotency_conflict"
    return answer.status_code == 429 or answer.status_code >= 500


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return ",".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def _pages_of(answer: Json) -> int:
    """`pagination` stands beside `data` where that is the list itself, else within; short lists have none."""
    holder = answer["data"] if isinstance(answer["data"], dict) else answer
    return holder.get("pagination", {}).get("pages", 1)


#: Lists that say what an answer lacks.
_BESIDE = {"limitations", "unread_filings"}


def _rows_of(answer: Json) -> list[Json]:
    """The list of an answer: `data`, or its only member that is one and tells rows."""
    data = answer["data"]
    if isinstance(data, list):
        return data
    (rows,) = (
        value
        for name, value in data.items()
        if isinstance(value, list) and name not in _BESIDE
    )
    return rows
