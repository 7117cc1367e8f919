"""Rows of the API as a pandas frame, with numbers that are exact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

# The members that are decimal strings on the wire. CIKs and CUSIPs are digits, too, and stay text.
AMOUNT = re.compile(r"(^|_)(cents|usd|shares|delta|price|numerator|denominator)(_|$)")
# JSON numbers with a fraction, though a page may have only whole ones.
FRACTION = re.compile(r"(^|_)(pct|usd|score)(_|$)")
INTEGER = re.compile(r"-?\d+")
DECIMAL = re.compile(r"-?\d+(\.\d+)?")
INT64 = range(-(2**63), 2**63)


def to_frame(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    """A frame with a column for each member; nested members are joined by `_`.

    Amounts become `Int64`, Python integers where 64 bits are too few, or `Decimal` where there are
    fractions; never floats. Null is `pandas.NA` in integer columns. Needs pandas (`tidemark-client[pandas]`).
    """
    import pandas

    flat = [_flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    return pandas.DataFrame({name: _column(name, [row.get(name) for row in flat]) for name in names})


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{before}{name}_"))
        else:
            flat[before + name] = value
    return flat


def _column(name: str, values: list[Any]) -> pandas.Series:
    import pandas

    if AMOUNT.search(name):
        values = _exact(values)
    return pandas.Series(values, dtype=_dtype(name, [value for value in values if value is not None]))


def _exact(values: list[Any]) -> list[Any]:
    """Decimal strings as numbers, all of one type; unchanged where one is no decimal string."""
    texts = [value for value in values if value is not None]
    for shape, number in ((INTEGER, int), (DECIMAL, Decimal)):
        if all(isinstance(text, str) and shape.fullmatch(text) for text in texts):
            return [None if value is None else number(value) for value in values]
    return values


def _dtype(name: str, given: list[Any]) -> str:
    kinds = {type(value) for value in given}
    if kinds <= {int, float} and (FRACTION.search(name) or float in kinds):
        return "Float64"
    fits = kinds <= {int} and all(value in INT64 for value in given)
    return "Int64" if fits and (given or AMOUNT.search(name)) else "object"
