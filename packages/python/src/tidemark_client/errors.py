"""What an answer other than 2xx is raised as."""

from __future__ import annotations

import math
from typing import Any

import httpx


class TidemarkError(Exception):
    """An error answer. `body` is empty when it is not ours, for example a proxy's page."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None) -> None:
        self.status = status
        self.body = body
        self.code: str | None = body.get("error")
        self.message: str | None = body.get("message")
        self.request_id: str | None = body.get("request_id")
        self.details: list[dict[str, str]] = body.get("details", [])
        self.retry_after = retry_after
        """Seconds to wait as asked for by the server."""
        known = f"{self.code}: {self.message} ({self.request_id})"
        super().__init__(known if self.code else f"HTTP {status}")


class Unauthorized(TidemarkError):
    """401: the key is missing or not valid."""


class InsufficientCredits(TidemarkError):
    """402: the balance is below the price; `body` has `needed`, `balance`, `topup_url` and maybe `support_contact`."""


class NotFound(TidemarkError):
    """404: `code` says what does not exist."""


class RateLimited(TidemarkError):
    """429, after all retries."""


_BY_STATUS = {401: Unauthorized, 402: InsufficientCredits, 404: NotFound, 429: RateLimited}


def error_of(answer: httpx.Response) -> TidemarkError:
    known = _BY_STATUS.get(answer.status_code, TidemarkError)
    return known(answer.status_code, _body_of(answer), retry_after_of(answer))


def retry_after_of(answer: httpx.Response) -> float | None:
    try:
        seconds = float(answer.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
    return seconds if math.isfinite(seconds) else None


def _body_of(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) and "error" in body else {}
