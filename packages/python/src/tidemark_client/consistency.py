"""What a brief states twice, or what follows from other members of it.

The TypeScript client has the same list, and a test with thousands of forged briefs holds the two together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

Json = Mapping[str, Any]
# The name of a member, the value that the rest of the brief gives it, and its own.
Derived = tuple[str, Any, Any]

MAX_EVIDENCE_IDS = 500
MILLIONTHS = 1_000_000
DAY = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
TIME = rf"{DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,9}})?Z"
AMOUNT = "[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?"
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
ACTIONS = ("initiated", "added", "reduced", "exited")


def derived_members(brief: Json) -> Iterator[Derived]:
    """Claims and ids are compared elsewhere."""
    yield from _of_times(brief)
    yield from _of_parameters(brief)
    yield from _of_coverage(brief)
    for at, change in enumerate(items(brief["institutional"]["changes"])):
        yield from _of_change(change, at)
    yield from _of_totals(brief)
    yield from _of_insiders(brief["insiders"], brief["entity"])
    yield from _of_evidence(brief)
    yield from _of_manifest(brief)
    yield from _of_headline(brief)


def _of_times(brief: Json) -> Iterator[Derived]:
    yield _matching("generated_at", brief["generated_at"], TIME)
    for at, item in enumerate(items(brief["evidence"])):
        yield _matching(f"evidence[{at}].retrieved_at", item["retrieved_at"], TIME)
        yield _published(f"evidence[{at}].published_at", item["published_at"])
    for at, change in enumerate(items(brief["institutional"]["changes"])):
        yield _published(f"institutional.changes[{at}].published_at", change["published_at"])


def _published(what: str, published: Json) -> Derived:
    return _matching(what, published["value"], {"day": DAY, "second": TIME}.get(published["precision"]))


def _matching(what: str, actual: Any, pattern: str | None) -> Derived:
    is_time = pattern and isinstance(actual, str) and re.fullmatch(pattern, actual)
    return what, actual if is_time else "a time as ISO 8601", actual


def _of_parameters(brief: Json) -> Iterator[Derived]:
    manifest, insiders, coverage = brief["manifest"], brief["insiders"], brief["coverage"]
    parameters = manifest["parameters"]
    form4, thirteen_f = coverage["form4"], coverage["thirteen_f"]
    yield "schema_version", "capital_change_brief.v1", brief["schema_version"]
    yield "current_only", [True, True], [brief["current_only"], manifest["current_only"]]
    yield "manifest.parameters.ticker", brief["requested_ticker"], parameters["ticker"]
    days = insiders["window_days"]
    yield "manifest.parameters.form4_window_days", days, parameters["form4_window_days"]
    start = date.fromisoformat(insiders["window_end"]) - timedelta(days=days)
    yield "insiders.window_start", start.isoformat(), insiders["window_start"]
    window = [insiders["window_start"], insiders["window_end"]]
    yield "manifest.parameters window", window, [parameters["window_start"], parameters["window_end"]]
    yield "coverage.form4 window", window, [form4["window_start"], form4["window_end"]]
    expected = {
        "outcome": brief["outcome"],
        "thirteen_f_status": thirteen_f["status"],
        "form4_status": form4["status"],
        "institutional_truncated": thirteen_f["truncated"],
        "form4_truncated": form4["truncated"],
    }
    yield "manifest.quality", expected, manifest["quality"]


def _of_coverage(brief: Json) -> Iterator[Derived]:
    institutional, insiders, coverage = brief["institutional"], brief["insiders"], brief["coverage"]
    counts, changes = institutional["counts"], institutional["changes"]
    thirteen_f, parameters = coverage["thirteen_f"], brief["manifest"]["parameters"]
    changed = _sum(counts[action] for action in ACTIONS)
    restated = {
        "latest_reported_quarter_end": institutional["latest_reported_quarter_end"],
        "managers_with_comparable_change": changed,
        "baseline_observations": counts["baseline_only"],
        "observations_scanned": thirteen_f["observations_total"],
        "observations_displayed": min(changed, _sum([parameters["max_institutional_changes"]])),
        "periods_observed": institutional["periods_observed"],
        "stale_manager_observations": institutional["stale_manager_observations"],
        "truncated": changed > len(changes),
    }
    yield "coverage.thirteen_f", {**thirteen_f, **restated}, thirteen_f
    yield "institutional.changes", thirteen_f["observations_displayed"], len(changes)
    tracked = _sum(counts.values())
    yield "institutional.tracked_managers_observed", tracked, institutional["tracked_managers_observed"]
    managers = _sum(period["managers"] for period in items(institutional["periods_observed"]))
    yield "institutional.periods_observed", tracked, managers
    trades = _sum([insiders["counts"]["buys"], insiders["counts"]["sells"]])
    shown = len(items(insiders["transactions"]))
    yield "coverage.form4.truncated", trades > shown, coverage["form4"]["truncated"]
    yield "insiders.transactions", True, shown <= _sum([parameters["max_insider_transactions"]])
    yield "coverage.limitation_codes", len(items(coverage["limitations"])), len(items(coverage["limitation_codes"]))


def _of_change(change: Json, at: int) -> Iterator[Derived]:
    now, before = whole(change["current_shares"]), whole(change["previous_shares"])
    what = f"institutional.changes[{at}]"
    yield f"{what}.share_delta", str(now - before), change["share_delta"]
    yield f"{what}.pct_delta", _pct_delta(now, before), change["pct_delta"]
    moved = "added" if now > before else "reduced"
    action = "initiated" if before == 0 else "exited" if now == 0 else moved
    yield f"{what}.action", action, change["action"]


def _of_totals(brief: Json) -> Iterator[Derived]:
    institutional = brief["institutional"]
    totals, counts, changes = institutional["totals"], institutional["counts"], institutional["changes"]
    stance = institutional["stance"]
    net, gross = whole(totals["net_share_delta"]), whole(totals["gross_share_delta"])
    before = whole(totals["shares_before"])
    net_pct = None if before == 0 else _half_even(net * MILLIONTHS, before) / 10_000
    yield "totals.net_share_delta", str(whole(totals["shares_now"]) - before), totals["net_share_delta"]
    yield "totals.net_pct_of_held", net_pct, totals["net_pct_of_held"]
    has_up, has_down = _sum([totals["holders_up"]]) > 0, _sum([totals["holders_down"]]) > 0
    is_open = stance in ("none_found", "not_determined", "unchanged")
    suppresses = _is_true(brief["quality_artifacts"]["suppresses_direction"])
    is_undecided = suppresses or not (has_up or has_down)
    yield "institutional.stance", is_undecided, is_open
    up, down = _truncated_half(gross + net), _truncated_half(gross - net)
    if not is_undecided:
        yield "institutional.stance", _direction(has_up, has_down, up, down), stance
    deltas = [abs(whole(change["share_delta"])) for change in changes]
    in_order = [str(delta) for delta in sorted(deltas, reverse=True)]
    yield "order of institutional.changes", in_order, [str(delta) for delta in deltas]
    if sum(counts[action] for action in ACTIONS) != len(changes):
        return
    clear = [change for change in changes if change["quality"]["status"] == "clear"]
    moves = [whole(change["share_delta"]) for change in clear]
    holders = [sum(move > 0 for move in moves), sum(move <= 0 for move in moves)]
    yield "totals.holders", holders, [totals["holders_up"], totals["holders_down"]]
    sides = [sum(move for move in moves if move > 0), sum(-move for move in moves if move <= 0)]
    yield "totals of changes", [str(side) for side in sides], [str(up), str(down)]
    shown = [sum(change["action"] == action for change in changes) for action in ACTIONS]
    yield "institutional.counts", shown, [counts[action] for action in ACTIONS]
    if counts["unchanged"] > 0:
        return
    kept = [(whole(change["current_shares"]), whole(change["previous_shares"])) for change in clear]
    yield "totals.median_pct_delta", _median_pct_delta(kept), totals["median_pct_delta"]


def _direction(has_up: bool, has_down: bool, up: int, down: int) -> str:
    if not has_down:
        return "net_increases"
    if not has_up:
        return "net_decreases"
    net = up - down
    if net == 0 or abs(net) * 100 < (up + down) * 20:
        return "mixed"
    return "net_increases" if net > 0 else "net_decreases"


def _of_insiders(insiders: Json, entity: Json) -> Iterator[Derived]:
    counts, transactions, totals = insiders["counts"], insiders["transactions"], insiders["totals"]
    trades = _sum([counts["buys"], counts["sells"]])
    yield "insiders.counts", trades, _sum([counts["priced"], counts["unpriced"]])
    for at, item in enumerate(transactions):
        what, accession = f"insiders.transactions[{at}]", item["accession_number"]
        issuer = item["issuer"]["cik"]
        yield f"{what}.issuer.cik", entity["cik"], issuer
        yield f"{what}.accession_number", accession, item["transaction_id"][:20]
        yield f"{what}.evidence_ids", True, f"sec:form4:{accession}" in items(item["evidence_ids"])
        yield f"{what}.source_url", _source_url(issuer, accession), item["source_url"]
        if item["value_usd"] is not None:
            product = _product_to_cents(item["shares"], item["price_per_share"])
            yield f"{what}.value_usd", product, cents(item["value_usd"])
        form = "4/A" if _is_true(item["amendment"]["is_amendment"]) else "4"
        yield f"{what}.form_type", form, item["form_type"]
    if trades != len(transactions):
        return
    buys = sum(item["side"] == "buy" for item in transactions)
    yield "insiders.counts of transactions", [buys, trades - buys], [counts["buys"], counts["sells"]]
    yield "insiders.counts.priced", sum(_is_true(item["priced"]) for item in transactions), counts["priced"]
    expected = [_dollars_of(transactions, "buy"), _dollars_of(transactions, "sell")]
    yield "insiders.totals", expected, [totals["buy_value_usd"], totals["sell_value_usd"]]


def _product_to_cents(shares: str, price: str) -> int:
    if not (re.fullmatch(DECIMAL, shares) and re.fullmatch(DECIMAL, price)):
        raise ValueError(f"Not decimals: {shares!r}, {price!r}")
    with localcontext(Context(prec=200)):
        return int((Decimal(shares) * Decimal(price) * 100).quantize(Decimal(1), ROUND_HALF_EVEN))


def _dollars_of(transactions: list[Json], side: str) -> float | None:
    """None when there are trades and none has a known price."""
    own = [item for item in transactions if item["side"] == side]
    known = [
        cents(item["value_usd"])
        for item in own
        if item["value_usd"] is not None and "price_implausible" not in items(item["quality"]["reasons"])
    ]
    return None if own and not known else sum(known) / 100


def _of_evidence(brief: Json) -> Iterator[Derived]:
    evidence, manifest, scope = brief["evidence"], brief["manifest"], brief["evidence_scope"]
    shown = [*brief["institutional"]["changes"], *brief["insiders"]["transactions"]]
    cited = list(dict.fromkeys(id for item in shown for id in items(item["evidence_ids"])))
    yield "evidence", cited, [item["evidence_id"] for item in evidence]
    for at, item in enumerate(evidence):
        found = re.search(r"/data/([1-9][0-9]{0,9})/", item["source_url"])
        accession = item["evidence_id"].rsplit(":", 1)[-1]
        form = {"sec_13f": "13f", "sec_form4": "form4"}[item["kind"]]
        evidence_id = f"sec:{form}:{item['accession_number']}"
        yield f"evidence[{at}].evidence_id", evidence_id, item["evidence_id"]
        source = _source_url(found[1] if found else "0", accession)
        urls = [source, f"{source}{accession}-index.htm"]
        yield f"evidence[{at}] addresses", urls, [item["source_url"], item["human_url"]]
    filings = sorted((_reading(item) for item in evidence), key=lambda reading: reading["evidence_id"])
    yield "manifest.filings", filings, [_reading(item) for item in items(manifest["filings"])]
    yield "evidence_scope.returned_object_count", len(evidence), scope["returned_object_count"]
    listed = len(items(manifest["evidence_ids"]))
    yield "evidence_scope.manifest_evidence_id_count", listed, scope["manifest_evidence_id_count"]


def _reading(item: Json) -> Json:
    return {name: item[name] for name in ("evidence_id", "raw_hash", "parser_version")}


def _source_url(cik: str, accession: str) -> str:
    folder = accession.replace("-", "")
    return f"https://www.sec.gov/Archives/edgar/data/{int(cik)}/{folder}/"


def _of_manifest(brief: Json) -> Iterator[Derived]:
    """Up to a number of ids the manifest lists all, beyond that those on display."""
    manifest, ids = brief["manifest"], brief["manifest"]["evidence_ids"]
    count = _sum([manifest["evidence_id_count"]])
    is_complete = count <= MAX_EVIDENCE_IDS
    stated = brief["evidence_scope"]["aggregate_claim_evidence_ids_complete"]
    yield "evidence_scope.aggregate_claim_evidence_ids_complete", is_complete, stated
    displayed = {item["evidence_id"] for item in brief["evidence"]}
    for group in items(brief["quality_artifacts"]["groups"]):
        for example in items(group["examples"]):
            displayed.update(items(example["evidence_ids"]))
    yield "manifest.evidence_ids", sorted({*ids, *displayed} if is_complete else displayed), ids
    if is_complete:
        yield "manifest.evidence_id_count", len(ids), count


def _of_headline(brief: Json) -> Iterator[Derived]:
    """The figures of the headline. Its other words are bound by the id alone."""
    headline, institutional = brief["headline"], brief["institutional"]
    totals, money = institutional["totals"], brief["insiders"]["totals"]
    ticker = f"{brief['entity']['ticker'] or brief['requested_ticker']}: "
    yield "headline", ticker, headline[: len(ticker)]
    net, up, down = whole(totals["net_share_delta"]), totals["holders_up"], totals["holders_down"]
    amount = _amount_words(abs(net))
    moved = f"{'cut' if net < 0 else 'added'} a net {amount} {'share' if abs(net) == 1 else 'shares'}"
    figures = [
        (f"[ (]net ([+-]{AMOUNT}) shares?", f"{'-' if net < 0 else '+'}{amount}"),
        (f"((?:added|cut) a net {AMOUNT} shares?)", moved),
        ("([0-9]+) holders? up", str(up)),
        ("([0-9]+|none) down", "none" if down == 0 else str(down)),
        ("([0-9]+) holders? down", str(down)),
        (rf"bought (\${AMOUNT})", f"${_amount_words(cents(money['buy_value_usd']) / 100)}"),
        (rf"sold (\${AMOUNT})", f"${_amount_words(cents(money['sell_value_usd']) / 100)}"),
    ]
    for pattern, expected in figures:
        found = re.search(pattern, headline)
        if found:
            yield "headline", expected, found[1]


def _amount_words(amount: float) -> str:
    if amount >= 999_950_000:
        return f"{_one_decimal(amount / 1e9)} bn"
    return f"{_one_decimal(amount / 1e6)} m" if amount >= 1_000_000 else f"{math.floor(amount + 0.5):,}"


def _one_decimal(number: float) -> Decimal:
    return Decimal(number).quantize(Decimal("0.1"), ROUND_HALF_UP)


def _pct_delta(now: int, before: int) -> float:
    if now == before:
        return 0
    if before == 0:
        return 100
    return -100 if now == 0 else _half_even((now - before) * MILLIONTHS, abs(before)) / 10_000


def _median_pct_delta(pairs: list[tuple[int, int]]) -> float | None:
    moves = sorted(_half_even((now - then) * MILLIONTHS, then) for now, then in pairs if now > 0 and then > 0)
    middle = moves[(len(moves) - 1) // 2 : len(moves) // 2 + 1]
    return _half_even(sum(middle), len(middle)) / 10_000 if middle else None


def _half_even(numerator: int, denominator: int) -> int:
    floor, rest = divmod(numerator, denominator)
    is_up = 2 * rest > denominator or (2 * rest == denominator and floor % 2 == 1)
    return floor + 1 if is_up else floor


def _truncated_half(number: int) -> int:
    return number // 2 if number >= 0 else -(-number // 2)


def whole(text: Any) -> int:
    """A whole number as a brief writes it. Raises ValueError."""
    if isinstance(text, str) and re.fullmatch("0|-?[1-9][0-9]*", text):
        return int(text)
    raise ValueError(f"Not a whole number: {text!r}")


def items(value: Any) -> list[Any]:
    """A list of a brief. Raises ValueError."""
    if isinstance(value, list):
        return value
    raise ValueError(f"Not a list: {value!r}")


def _is_true(flag: Any) -> bool:
    if isinstance(flag, bool):
        return flag
    raise ValueError(f"Not true or false: {flag!r}")


def _sum(counts: Any) -> int:
    total = 0
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, (int, float)) or count < 0 or count != int(count):
            raise ValueError(f"Not a count: {count!r}")
        total += int(count)
    return total


def cents(dollars: Any) -> int:
    """Dollars as whole cents; 0 of None. Raises ValueError."""
    if dollars is None:
        return 0
    if isinstance(dollars, bool) or not isinstance(dollars, (int, float)):
        raise ValueError(f"Not an amount: {dollars!r}")
    return math.floor(dollars * 100 + 0.5)
