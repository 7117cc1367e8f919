"""What a brief states twice, or what follows from other members of it.

The TypeScript client has the same list, and a test with thousands of forged briefs holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from .derived import Derived, Json, direction, half_even, source_url
from .headline import of_headline
from .trades import of_insiders

MAX_EVIDENCE_IDS = 500
MILLIONTHS = 1_000_000
STANCES = {"up": "net_increases", "down": "net_decreases", "mixed": "mixed"}
ACTIONS = ("initiated", "added", "reduced", "exited")


def derived_members(brief: Json) -> Iterator[Derived]:
    """Claims and ids are compared elsewhere."""
    yield from _of_times(brief)
    yield from _of_entity(brief["entity"])
    yield from _of_parameters(brief)
    yield from _of_coverage(brief)
    for at, change in enumerate(brief["institutional"]["changes"]):
        yield from _of_change(change, at)
    yield from _of_totals(brief)
    yield from of_insiders(brief)
    yield from _of_evidence(brief)
    yield from _of_manifest(brief)
    yield from of_headline(brief)


def _of_times(brief: Json) -> Iterator[Derived]:
    for item in (*brief["evidence"], *brief["institutional"]["changes"]):
        published = item["published_at"]
        yield "published_at", published["precision"] == "day", len(published["value"]) == 10


def _of_entity(entity: Json) -> Iterator[Derived]:
    """Without a ticker nothing is known of the security."""
    if entity["ticker"] == "":
        yield "entity", {"ticker": "", "name": "", "cusip": "", "cik": None}, entity


def _of_parameters(brief: Json) -> Iterator[Derived]:
    manifest, insiders, coverage = brief["manifest"], brief["insiders"], brief["coverage"]
    parameters = manifest["parameters"]
    form4, thirteen_f = coverage["form4"], coverage["thirteen_f"]
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
    changed = sum(counts[action] for action in ACTIONS)
    restated = {
        "latest_reported_quarter_end": institutional["latest_reported_quarter_end"],
        "managers_with_comparable_change": changed,
        "baseline_observations": counts["baseline_only"],
        "observations_scanned": thirteen_f["observations_total"],
        "observations_displayed": min(changed, parameters["max_institutional_changes"]),
        "periods_observed": institutional["periods_observed"],
        "stale_manager_observations": institutional["stale_manager_observations"],
        "truncated": changed > len(changes),
    }
    yield "coverage.thirteen_f", {**thirteen_f, **restated}, thirteen_f
    yield "institutional.changes", thirteen_f["observations_displayed"], len(changes)
    tracked = sum(counts.values())
    yield "institutional.tracked_managers_observed", tracked, institutional["tracked_managers_observed"]
    managers = sum(period["managers"] for period in institutional["periods_observed"])
    yield "institutional.periods_observed", tracked, managers
    trades = sum([insiders["counts"]["buys"], insiders["counts"]["sells"]])
    shown = len(insiders["transactions"])
    yield "coverage.form4.truncated", trades > shown, coverage["form4"]["truncated"]
    yield "insiders.transactions", True, shown <= parameters["max_insider_transactions"]
    yield "coverage.limitation_codes", len(coverage["limitations"]), len(coverage["limitation_codes"])


def _of_change(change: Json, at: int) -> Iterator[Derived]:
    now, before = int(change["current_shares"]), int(change["previous_shares"])
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
    net, gross = int(totals["net_share_delta"]), int(totals["gross_share_delta"])
    before = int(totals["shares_before"])
    net_pct = None if before == 0 else half_even(net * MILLIONTHS, before) / 10_000
    yield "totals.net_share_delta", str(int(totals["shares_now"]) - before), totals["net_share_delta"]
    yield "totals.net_pct_of_held", net_pct, totals["net_pct_of_held"]
    has_up, has_down = totals["holders_up"] > 0, totals["holders_down"] > 0
    is_open = stance in ("none_found", "not_determined", "unchanged")
    suppresses = brief["quality_artifacts"]["suppresses_direction"]
    is_undecided = suppresses or not (has_up or has_down)
    yield "institutional.stance", is_undecided, is_open
    up, down = _truncated_half(gross + net), _truncated_half(gross - net)
    if not is_undecided:
        yield "institutional.stance", STANCES.get(direction(has_up, has_down, up, down)), stance
    deltas = [abs(int(change["share_delta"])) for change in changes]
    in_order = [str(delta) for delta in sorted(deltas, reverse=True)]
    yield "order of institutional.changes", in_order, [str(delta) for delta in deltas]
    if sum(counts[action] for action in ACTIONS) != len(changes):
        return
    clear = [change for change in changes if change["quality"]["status"] == "clear"]
    moves = [int(change["share_delta"]) for change in clear]
    holders = [sum(move > 0 for move in moves), sum(move <= 0 for move in moves)]
    yield "totals.holders", holders, [totals["holders_up"], totals["holders_down"]]
    sides = [sum(move for move in moves if move > 0), sum(-move for move in moves if move <= 0)]
    yield "totals of changes", [str(side) for side in sides], [str(up), str(down)]
    shown = [sum(change["action"] == action for change in changes) for action in ACTIONS]
    yield "institutional.counts", shown, [counts[action] for action in ACTIONS]
    if counts["unchanged"] > 0:
        return
    kept = [(int(change["current_shares"]), int(change["previous_shares"])) for change in clear]
    yield "totals.median_pct_delta", _median_pct_delta(kept), totals["median_pct_delta"]


def _of_evidence(brief: Json) -> Iterator[Derived]:
    evidence, manifest, scope = brief["evidence"], brief["manifest"], brief["evidence_scope"]
    shown = [*brief["institutional"]["changes"], *brief["insiders"]["transactions"]]
    cited = list(dict.fromkeys(id for item in shown for id in item["evidence_ids"]))
    yield "evidence", cited, [item["evidence_id"] for item in evidence]
    yield from addresses_of(evidence)
    filings = sorted((_reading(item) for item in evidence), key=lambda reading: reading["evidence_id"])
    yield "manifest.filings", filings, [_reading(item) for item in manifest["filings"]]
    yield "evidence_scope.returned_object_count", len(evidence), scope["returned_object_count"]
    listed = len(manifest["evidence_ids"])
    yield "evidence_scope.manifest_evidence_id_count", listed, scope["manifest_evidence_id_count"]


def addresses_of(evidence: list[Json]) -> Iterator[Derived]:
    """That each item of evidence leads to the filing that its id names."""
    for at, item in enumerate(evidence):
        found = re.search(r"/data/([1-9][0-9]{0,9})/", item["source_url"])
        accession = item["evidence_id"].rsplit(":", 1)[-1]
        form = {"sec_13f": "13f", "sec_form4": "form4"}.get(item["kind"], "")
        evidence_id = f"sec:{form}:{item['accession_number']}"
        yield f"evidence[{at}].evidence_id", evidence_id, item["evidence_id"]
        source = source_url(found[1] if found else "0", accession)
        urls = [source, f"{source}{accession}-index.htm"]
        yield f"evidence[{at}] addresses", urls, [item["source_url"], item["human_url"]]


def _reading(item: Json) -> Json:
    return {name: item[name] for name in ("evidence_id", "raw_hash", "parser_version")}


def _of_manifest(brief: Json) -> Iterator[Derived]:
    """Up to a number of ids the manifest lists all, beyond that those on display."""
    manifest, ids = brief["manifest"], brief["manifest"]["evidence_ids"]
    count = manifest["evidence_id_count"]
    is_complete = count <= MAX_EVIDENCE_IDS
    stated = brief["evidence_scope"]["aggregate_claim_evidence_ids_complete"]
    yield "evidence_scope.aggregate_claim_evidence_ids_complete", is_complete, stated
    displayed = {item["evidence_id"] for item in brief["evidence"]}
    for group in brief["quality_artifacts"]["groups"]:
        for example in group["examples"]:
            displayed.update(example["evidence_ids"])
    yield "manifest.evidence_ids", sorted({*ids, *displayed} if is_complete else displayed), ids
    if is_complete:
        yield "manifest.evidence_id_count", len(ids), count


def _pct_delta(now: int, before: int) -> float:
    if now == before:
        return 0
    if before == 0:
        return 100
    return -100 if now == 0 else half_even((now - before) * MILLIONTHS, abs(before)) / 10_000


def _median_pct_delta(pairs: list[tuple[int, int]]) -> float | None:
    moves = sorted(half_even((now - then) * MILLIONTHS, then) for now, then in pairs if now > 0 and then > 0)
    middle = moves[(len(moves) - 1) // 2 : len(moves) // 2 + 1]
    return half_even(sum(middle), len(middle)) / 10_000 if middle else None


def _truncated_half(number: int) -> int:
    return number // 2 if number >= 0 else -(-number // 2)
