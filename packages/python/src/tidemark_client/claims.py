"""The claims of a brief as its other members say them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .consistency import MAX_EVIDENCE_IDS
from .derived import Derived, Json, cents
from .trades import shows_all_trades, stance_of_shown

INLINE_EVIDENCE_IDS = 8
SIGNS = {
    "net_increases": "up",
    "net_decreases": "down",
    "net_buying": "up",
    "net_selling": "down",
    "mixed": "mixed",
    "unchanged": "none",
    "none_found": "none",
    "not_determined": "none",
    "not_available": "none",
}
INSIDER_STANCES = ("net_buying", "net_selling", "mixed", "none_found", "not_available")
OF_CHANGES = ("action", "current_shares", "previous_shares", "share_delta", "pct_delta", "current_value_usd")


def restated_claims(brief: Json) -> Iterator[Derived]:
    """One claim for each change, then the stances. What a claim alone says is taken from it."""
    entity, changes = brief["entity"], brief["institutional"]["changes"]
    security = {"ticker": entity["ticker"], "cusip": entity["cusip"]}
    has_holders = security["cusip"] != ""
    expected = [_change_claim(change, security) for change in changes]
    stances = ["institutional_stance", "insider_stance", "corroboration"]
    kinds = ["institutional_change"] * len(expected)
    if security["ticker"] != "":
        kinds += stances if has_holders else ["insider_stance"]
    claims = [{name: claim[name] for name in claim if name != "claim_id"} for claim in brief["manifest"]["claims"]]
    yield "kinds of manifest.claims", kinds, [claim["kind"] for claim in claims]
    yield from _of_comparison(brief)
    if len(kinds) != len(claims) or security["ticker"] == "":
        return
    yield "claims of changes", expected, claims[: len(expected)]
    rest = claims[len(expected) :]
    insider = rest[1] if has_holders else rest[0]
    yield "claim of the insider stance", _insider_claim(brief, insider, security), insider
    if has_holders:
        first, _, third = rest
        yield "claim of the institutional stance", _institutional_claim(brief, first, security), first
        yield "claim of the corroboration", _corroboration_claim(brief, (first, third), security), third


def _change_claim(change: Json, security: Json) -> Json:
    values = {name: change[name] for name in OF_CHANGES}
    return {
        "kind": "institutional_change",
        "subject": {**security, "fund_cik": change["fund"]["cik"], "quarter_end": change["quarter_end"]},
        "values": {**values, "quality_status": change["quality"]["status"]},
        "evidence_ids": change["evidence_ids"],
    }


def _institutional_claim(brief: Json, claim: Json, security: Json) -> Json:
    leg = brief["institutional"]
    names = ("stance", "periods_observed")
    totals = {name: leg["totals"][name] for name in ("net_share_delta", "gross_share_delta")}
    latest = leg["latest_reported_quarter_end"]
    compared = claim["values"]["periods_compared"]
    displayed = [id for change in leg["changes"] for id in change["evidence_ids"]]
    values = {**{name: leg[name] for name in names}, **leg["counts"], **totals, "periods_compared": compared}
    return {
        "kind": "institutional_stance",
        "subject": {**security, "latest_reported_quarter_end": latest},
        "values": values,
        **_evidence_of(brief, claim, displayed),
    }


def _insider_claim(brief: Json, claim: Json, security: Json) -> Json:
    leg = brief["insiders"]
    totals = leg["totals"]
    net = (cents(totals["buy_value_usd"]) - cents(totals["sell_value_usd"])) / 100
    stances = {name: leg[name] for name in ("stance", "stance_discretionary")}
    displayed = [id for item in leg["transactions"] for id in item["evidence_ids"]]
    return {
        "kind": "insider_stance",
        "subject": {**security, **{name: leg[name] for name in ("window_start", "window_end")}},
        "values": {**stances, **leg["counts"], **totals, "net_value_usd": net},
        **_evidence_of(brief, claim, displayed),
    }


def _corroboration_claim(brief: Json, claims: tuple[Json, Json], security: Json) -> Json:
    first, third = claims
    leg = brief["institutional"]
    subject = {
        "latest_reported_quarter_end": leg["latest_reported_quarter_end"],
        "window_end": brief["insiders"]["window_end"],
    }
    values = {
        "corroboration": brief["corroboration"],
        "institutional_stance": leg["stance"],
        "insiders_stance": third["values"]["insiders_stance"],
        **brief["corroboration_detail"],
        "periods_compared": first["values"]["periods_compared"],
    }
    return {
        "kind": "corroboration",
        "subject": {**security, **subject},
        "values": values,
        **_evidence_of(brief, third, brief["manifest"]["evidence_ids"]),
    }


def _of_comparison(brief: Json) -> Iterator[Derived]:
    """The comparison is over the trades by others than the managers of the 13F leg: without such, over all trades."""
    leg, shared = brief["insiders"], brief["corroboration_detail"]["shared_ciks"]
    claims = brief["manifest"]["claims"]
    values = next((claim["values"] for claim in claims if claim["kind"] == "corroboration"), None)
    stated = leg["stance"] if values is None else values["insiders_stance"]
    if values is None:
        yield "corroboration_detail.shared_ciks", [], shared
    compared = [stated, brief["corroboration_detail"]["independent"]]
    if not shared:
        has_trades = leg["counts"]["buys"] + leg["counts"]["sells"] > 0
        yield "corroboration_detail", [leg["stance"], has_trades], compared
    elif shows_all_trades(leg):
        others = [
            item for item in leg["transactions"] if all(owner["cik"] not in shared for owner in item["owners"])
        ]
        yield "corroboration_detail", [stance_of_shown(brief, others, stated), bool(others)], compared
    yield "insiders_stance", True, stated in INSIDER_STANCES
    yield "corroboration", _corroboration(brief["institutional"]["stance"], stated), brief["corroboration"]


def _corroboration(stance: Any, insiders_stance: Any) -> str:
    institutional, insiders = SIGNS.get(stance), SIGNS.get(insiders_stance)
    if "none" in (institutional, insiders):
        return "not_comparable"
    if "mixed" in (institutional, insiders):
        return "mixed"
    return "supports" if institutional == insiders else "contradicts"


def _evidence_of(brief: Json, claim: Json, displayed: list[str]) -> Json:
    """The ids that a claim lists, which include those on display; or how many the manifest has."""
    manifest, ids = brief["manifest"], claim.get("evidence_ids")
    count = manifest["evidence_id_count"]
    is_complete = count <= MAX_EVIDENCE_IDS
    if ids is None:
        field = "manifest.evidence_ids" if is_complete else "manifest.evidence_digest"
        return {"evidence_reference": {"field": field, "evidence_id_count": count}}
    known = [id for id in ids if id in manifest["evidence_ids"]] if is_complete else ids
    return {"evidence_ids": sorted({*known, *displayed})[:INLINE_EVIDENCE_IDS]}
