"""What the headline of a brief says, as the rest of the brief has it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from .derived import Derived, Json, cents

QUARTERS = {"03": 1, "06": 2, "09": 3, "12": 4}
AMOUNT = "[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?"


def of_headline(brief: Json) -> Iterator[Derived]:
    """The figures, quarters and doubts of the headline. Its other words are bound by the id alone."""
    headline, institutional = brief["headline"], brief["institutional"]
    totals, money = institutional["totals"], brief["insiders"]["totals"]
    ticker = f"{brief['entity']['ticker'] or brief['requested_ticker']}: "
    yield "headline", ticker, headline[: len(ticker)]
    net, up, down = (int(totals[name]) for name in ("net_share_delta", "holders_up", "holders_down"))
    amount = _amount_words(abs(net))
    moved = f"{'cut' if net < 0 else 'added'} a net {amount} {'share' if abs(net) == 1 else 'shares'}"
    figures = [
        (f"[ (]net ([+-]{AMOUNT}) shares?", f"{'-' if net < 0 else '+'}{amount}"),
        (f"((?:added|cut) a net {AMOUNT} shares?)", moved),
        ("([0-9]{1,9}) holders? up", str(up)),
        ("([0-9]{1,9}|none) down", "none" if down == 0 else str(down)),
        ("([0-9]{1,9}) holders? down", str(down)),
        (rf"bought (\${AMOUNT})", f"${_amount_words(cents(money['buy_value_usd']) / 100)}"),
        (rf"sold (\${AMOUNT})", f"${_amount_words(cents(money['sell_value_usd']) / 100)}"),
    ]
    if not brief["coverage"]["thirteen_f"]["truncated"]:
        changes = institutional["changes"]
        moves = [_amount_words(abs(moved)) for moved in (net, *(int(one["share_delta"]) for one in changes))]
        # What one manager moved, or all in one direction.
        for one in re.finditer(rf"(?:added|cut|position of|exited) \(?({AMOUNT}) shares?", headline):
            yield "headline", True, one[1] in moves
        doubted = sum(change["quality"]["status"] == "uncertain" for change in changes)
        doubt = "(?:[0-9]|none) (?:holders? )?(?:up|down)(, [0-9]{1,9} in doubt|)\\. "
        figures.append((doubt, f", {doubted} in doubt" if doubted else ""))
        words = _doubt_words(doubted, len(changes))
        figures.append(("The direction of managers is in doubt[^:.]{0,99}: ([^.]{0,99})\\. ", words))
    for pattern, expected in figures:
        for found in re.finditer(pattern, headline):
            yield "headline", expected, found[1]
    yield from _of_quarters(brief)


def _doubt_words(doubted: int, count: int) -> str:
    if doubted < count:
        return f"{doubted} uncertain change{' outweighs' if doubted == 1 else 's outweigh'} the clear ones"
    if doubted == 1:
        return "the only change is uncertain"
    return f"{'both' if doubted == 2 else f'all {doubted}'} changes are uncertain"


def _of_quarters(brief: Json) -> Iterator[Derived]:
    """The quarters of the headline are those that were compared, else those observed, else the latest one."""
    headline, institutional = brief["headline"], brief["institutional"]
    stances = [claim for claim in brief["manifest"]["claims"] if claim["kind"] == "institutional_stance"]
    compared = stances[0]["values"].get("periods_compared") if stances else None
    compared = [] if compared is None else compared
    observed = institutional["periods_observed"]
    managers_of = {period["quarter_end"]: period["managers"] for period in observed}
    yield "periods_compared", True, _is_list_of_observed(compared, managers_of)
    followed = institutional["tracked_managers_observed"] - institutional["counts"]["baseline_only"]
    yield "periods_compared", followed, sum(period["managers"] for period in compared)
    periods = compared or observed
    named = re.findall(" (?:in|at|and) ([0-9]{4}Q[1-4])", headline)
    latest = institutional["latest_reported_quarter_end"]
    quarters = [period["quarter_end"] for period in periods]
    if brief["coverage"]["thirteen_f"]["observations_total"] == 0 and latest is not None:
        quarters.append(latest)
    if not quarters or not named:
        return
    yield "headline quarters", sorted(_quarter_label(quarter_end) for quarter_end in quarters), sorted(named)
    still = re.search(r" in ([0-9]{4}Q[1-4]) \(([0-9]{1,9}) managers? still at ", headline)
    if still and latest is not None:
        late = sum(period["managers"] for period in periods if period["quarter_end"] != latest)
        yield "headline quarters", [_quarter_label(latest), late], [still[1], int(still[2])]


def _is_list_of_observed(compared: Any, managers_of: Json) -> bool:
    return isinstance(compared, list) and all(
        type(period["managers"]) in (int, float)
        and period["managers"] % 1 == 0
        and 0 < period["managers"] <= managers_of.get(period["quarter_end"], 0)
        for period in compared
    )


def _quarter_label(quarter_end: str) -> str:
    return f"{quarter_end[:4]}Q{QUARTERS.get(quarter_end[5:7])}"


def _amount_words(amount: float) -> str:
    if amount >= 999_950_000:
        return f"{_one_decimal(amount / 1e9)} bn"
    return f"{_one_decimal(amount / 1e6)} m" if amount >= 1_000_000 else f"{math.floor(amount + 0.5):,}"


def _one_decimal(number: float) -> Decimal:
    return Decimal(number).quantize(Decimal("0.1"), ROUND_HALF_UP)
