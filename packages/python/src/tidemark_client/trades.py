"""The trades of insiders, and what follows from them where every trade is on display."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Any

from .derived import Derived, Json, cents, direction, source_url

STANCES = {"up": "net_buying", "down": "net_selling", "mixed": "mixed"}
OTHER_PRICES = {"foreign_currency_price", "price_of_other_security"}


def of_insiders(brief: Json) -> Iterator[Derived]:
    leg = brief["insiders"]
    counts, items = leg["counts"], leg["transactions"]
    yield "insiders.counts", counts["buys"] + counts["sells"], counts["priced"] + counts["unpriced"]
    for at, item in enumerate(items):
        what = f"insiders.transactions[{at}]"
        yield f"{what}.issuer.cik", brief["entity"]["cik"], item["issuer"]["cik"]
        yield from _of_trade(item, what)
    yield from _of_footnotes(items)
    if not shows_all_trades(leg):
        yield from _of_totals(brief)
        return
    yield "insiders.counts of transactions", _counts_of(items), counts
    yield "insiders.totals", _totals_of(items), leg["totals"]
    stance, of_discretionary = leg["stance"], leg["stance_discretionary"]
    yield "insiders.stance", stance_of_shown(brief, items, stance), stance
    discretionary = [item for item in items if item["kind"] == "discretionary"]
    expected = stance_of_shown(brief, discretionary, of_discretionary)
    yield "insiders.stance_discretionary", expected, of_discretionary


def shows_all_trades(leg: Json) -> bool:
    return leg["counts"]["buys"] + leg["counts"]["sells"] == len(leg["transactions"])


def stance_of_shown(brief: Json, items: list[Json], stated: Any) -> str:
    """The stance of these trades. `stated` decides only what it means that there are none."""
    sells = [item for item in items if item["side"] == "sell"]
    buys = [
        item for item in items if item["side"] == "buy" and "price_zero" not in item["quality"]["reasons"]
    ]
    amounts = (sum(_known_cents(side)) for side in (buys, sells))
    return _stance(brief, stated, direction(bool(buys), bool(sells), *amounts))


def _stance(brief: Json, stated: Any, way: str) -> str:
    if brief["coverage"]["form4"]["status"] == "unavailable":
        return "not_available"
    return STANCES.get(way, "not_available" if stated == "not_available" else "none_found")


def _of_totals(brief: Json) -> Iterator[Derived]:
    """Purchases of an unknown or no price may decide or not."""
    leg = brief["insiders"]
    counts, totals, stance = leg["counts"], leg["totals"], leg["stance"]
    buys, sells = cents(totals["buy_value_usd"]), cents(totals["sell_value_usd"])
    if counts["buys"] > 0 and buys == 0:
        return
    way = direction(counts["buys"] > 0, counts["sells"] > 0, buys, sells)
    yield "insiders.stance", _stance(brief, stance, way), stance


def _of_trade(item: Json, what: str) -> Iterator[Derived]:
    accession, is_sale = item["accession_number"], item["side"] == "sell"
    yield f"{what}.accession_number", accession, item["transaction_id"][:20]
    yield f"{what}.evidence_ids", True, f"sec:form4:{accession}" in item["evidence_ids"]
    yield f"{what}.source_url", source_url(item["issuer"]["cik"], accession), item["source_url"]
    yield f"{what}.form_type", "4/A" if item["amendment"]["is_amendment"] else "4", item["form_type"]
    yield f"{what}.side", ["S", "D"] if is_sale else ["P", "A"], [item["code"], item["acquired_disposed"]]
    pct = _pct_of_holding(item["shares"], item["shares_owned_after"]) if is_sale else None
    yield f"{what}.pct_of_holding", pct, item["pct_of_holding"]
    value, stated = _value_of(item), item["value_usd"]
    yield f"{what}.value_usd", value, None if stated is None else cents(stated)
    yield f"{what}.priced", value is not None, item["priced"]


def _pct_of_holding(shares: str | None, after: str | None) -> float | None:
    if shares is None or after is None:
        return None
    with localcontext(Context(prec=200)):
        sold, before = Decimal(shares), Decimal(shares) + Decimal(after)
        if before <= 0 or before < sold:
            return None
        return float((sold * 100 / before).quantize(Decimal("0.0001"), ROUND_HALF_EVEN))


def _value_of(item: Json) -> int | None:
    """In cents; None where no price in dollars of the security traded is known."""
    shares, price = item["shares"], item["price_per_share"]
    is_other = OTHER_PRICES.intersection(item["quality"]["reasons"])
    if shares is None or price is None or is_other or not re.match("[0-9.]*[1-9]", price):
        return None
    with localcontext(Context(prec=200)):
        return int((Decimal(shares) * Decimal(price) * 100).quantize(Decimal(1), ROUND_HALF_EVEN))


def _of_footnotes(items: list[Json]) -> Iterator[Derived]:
    """A text stands once, and later footnotes refer to it."""
    shown = set()
    for item in items:
        for note in item["footnotes"]:
            first = note.get("same_as")
            if first is not None:
                is_shown = (first["transaction_id"], first["id"]) in shown
                yield "footnotes", [None, True], [note["text"], is_shown]
            if note["text"] is not None:
                shown.add((item["transaction_id"], note["id"]))


def _counts_of(items: list[Json]) -> Json:
    buys, sells = ([item for item in items if item["side"] == side] for side in ("buy", "sell"))
    priced = sum(item["priced"] for item in items)
    return {
        "buys": len(buys),
        "sells": len(sells),
        "distinct_buyers": _owner_groups(buys),
        "distinct_sellers": _owner_groups(sells),
        "priced": priced,
        "unpriced": len(items) - priced,
    }


def _owner_groups(items: list[Json]) -> int:
    """How many there are when trades that share a reporting owner, directly or through others, are one group."""
    groups: list[set[str]] = []
    for item in items:
        group = {owner["cik"] for owner in item["owners"]}
        joined = [other for other in groups if other & group]
        groups = [other for other in groups if not other & group] + [group.union(*joined)]
    return len(groups)


def _totals_of(items: list[Json]) -> Json:
    def of(is_counted: Callable[[Json], bool]) -> list[Json]:
        return [item for item in items if is_counted(item)]

    def sales(*kinds: str) -> list[Json]:
        return of(lambda item: item["side"] == "sell" and item["kind"] in kinds)

    return {
        "buy_value_usd": _dollars(of(lambda item: item["side"] == "buy")),
        "sell_value_usd": _dollars(of(lambda item: item["side"] == "sell")),
        "plan_sell_value_usd": _dollars(sales("plan")),
        "tax_or_exercise_sell_value_usd": _dollars(sales("tax_cover", "exercise_and_sell")),
        "discretionary_net_usd": _dollars(of(lambda item: item["kind"] == "discretionary"), sign=-1),
    }


def _dollars(items: list[Json], sign: int = 1) -> float | None:
    """None when there are trades and none has a known price. `sign` is that of sales."""
    known = _known_cents(items, sign)
    return None if items and not known else sum(known) / 100


def _known_cents(items: list[Json], sign: int = 1) -> list[int]:
    return [
        cents(item["value_usd"]) * (sign if item["side"] == "sell" else 1)
        for item in items
        if item["value_usd"] is not None and "price_implausible" not in item["quality"]["reasons"]
    ]
