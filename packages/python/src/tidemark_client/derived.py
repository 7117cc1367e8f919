"""What the checks of a brief share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
# The name of a member, the value that the rest of the brief gives it, and its own.
Derived = tuple[str, Any, Any]


def cents(dollars: float | None) -> int:
    """Dollars as whole cents; 0 of None."""
    return math.floor((dollars or 0) * 100 + 0.5)


def half_even(numerator: int, denominator: int) -> int:
    floor, rest = divmod(numerator, denominator)
    is_up = 2 * rest > denominator or (2 * rest == denominator and floor % 2 == 1)
    return floor + 1 if is_up else floor


def direction(has_up: bool, has_down: bool, up: int, down: int) -> str:
    """Of two opposing amounts: the net must be at least 20 % of the gross."""
    if not (has_up and has_down):
        return "up" if has_up else "down" if has_down else "none"
    net = up - down
    if net == 0 or abs(net) * 100 < (up + down) * 20:
        return "mixed"
    return "up" if net > 0 else "down"


def source_url(cik: str, accession: str) -> str:
    folder = accession.replace("-", "")
    return f"https://www.sec.gov/Archives/edgar/data/{int(cik)}/{folder}/"
