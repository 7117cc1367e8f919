"""Checks a brief from its JSON alone, offline: its ids, and that it does not contradict itself.

An id is the SHA-256 over canonical JSON (RFC 8785) of what it names. The API's page "Ids and proof" says
what each one covers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import rfc8785

from .claims import restated_claims
from .consistency import addresses_of, derived_members
from .derived import Json
from .shape import require_shape

# What moves with the day, the corpus or other stocks is no fact about the stock.
NOT_OF_THE_HOLDERS = {
    "latest_reported_quarter_end",
    "tracked_managers_observed",
    "periods_observed",
    "stale_manager_observations",
}
NOT_OF_THE_TRADES = {"window_start", "window_end"}


MAX_SAFE_INTEGER = 2**53 - 1
# What a value that is no brief raises.
NO_BRIEF = (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


class Problem(NamedTuple):
    """An id that is not the hash of its content, or a contradiction; `expected` is the recomputed value."""

    what: str
    expected: str
    actual: str


def verify(brief: Json, id: str | None = None) -> list[Problem]:
    """Recomputes every id of a brief, or of the API's answer with one, and what follows from its other members.

    Whether the brief is Tidemark's only its id can tell: `id` is the one that it must have. An empty list:
    all agree.
    """
    try:
        content = _unwrapped(brief)
        _require_plain(content)
        require_shape(content)
        compared = list(_compared(content))
        if id is not None:
            compared.append(Problem("expected brief_id", id, content["brief_id"]))
        return [problem for problem in compared if problem.expected != problem.actual]
    except NO_BRIEF as error:
        return [Problem("shape", "a capital_change_brief.v1", repr(error))]


def _require_plain(value: Any) -> None:
    """JSON readers understand a member `__proto__`, and numbers beyond 2^53, in different ways."""
    if isinstance(value, (int, float)) and abs(value) > MAX_SAFE_INTEGER:
        raise ValueError(f"A number beyond 2^53: {value}")
    if isinstance(value, Mapping):
        if "__proto__" in value:
            raise ValueError("A member __proto__")
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            _require_plain(member)


def verify_evidence(brief: Json, evidence: Iterable[Json]) -> list[Problem]:
    """Holds the whole evidence of a brief against what its manifest commits to."""
    try:
        compared = _compared_evidence(_unwrapped(brief)["manifest"], list(evidence))
        return [problem for problem in compared if problem.expected != problem.actual]
    except NO_BRIEF as error:
        return [Problem("shape", "a brief and its evidence", repr(error))]


def _compared_evidence(manifest: Json, items: list[Json]) -> list[Problem]:
    by_id = {item["evidence_id"]: {**item, "rows": _rows_text(item["rows"])} for item in items}
    compared = [
        Problem("evidence count", str(manifest["evidence_id_count"]), str(len(items))),
        Problem("evidence digest", manifest["evidence_digest"], _digest([by_id[id] for id in sorted(by_id)])),
    ]
    compared += [Problem(what, _text(expected), _text(actual)) for what, expected, actual in addresses_of(items)]
    for filing in manifest["filings"]:
        found = by_id.get(filing["evidence_id"])
        actual = "none" if found is None else _reading(found)
        what = f"evidence of {filing['evidence_id']}"
        compared.append(Problem(what, _reading(filing), actual))
    return compared


def _compared(brief: Json) -> Iterable[Problem]:
    manifest = brief["manifest"]
    for index, claim in enumerate(manifest["claims"]):
        yield Problem(f"manifest.claims[{index}].claim_id", _claim_id(claim), claim["claim_id"])
    # Where all evidence is on display; else the pages of /briefs/{brief_id}/evidence tell.
    filings = manifest["filings"]
    if len(filings) == manifest["evidence_id_count"]:
        yield Problem("manifest.evidence_digest", _digest(filings), manifest["evidence_digest"])
    yield Problem("facts_id", _facts_id(brief), brief["facts_id"])
    manifest_id = f"ccm_{_hash(_without(manifest, {'manifest_id'}))}"
    yield Problem("manifest.manifest_id", manifest_id, manifest["manifest_id"])
    yield Problem("brief_id", _brief_id(brief), brief["brief_id"])
    for what, expected, actual in (*derived_members(brief), *restated_claims(brief)):
        yield Problem(what, _text(expected), _text(actual))


def _brief_id(brief: Json) -> str:
    evidence = [_without(item, {"retrieved_at"}) for item in brief["evidence"]]
    return f"ccm_{_hash({**_without(brief, {'brief_id', 'generated_at'}), 'evidence': evidence})}"


def _facts_id(brief: Json) -> str:
    entity = brief["entity"]
    facts = {
        "ticker": entity["ticker"],
        "cusip": entity["cusip"],
        "cik": entity.get("cik"),
        "institutional": _without(brief["institutional"], NOT_OF_THE_HOLDERS),
        "insiders": _without(brief["insiders"], NOT_OF_THE_TRADES),
    }
    return f"facts_{_hash(facts)}"


def _claim_id(claim: Json) -> str:
    evidence = claim.get("evidence_ids")
    content = {
        "kind": claim["kind"],
        "subject": claim["subject"],
        "values": claim["values"],
        "evidence": claim.get("evidence_reference") if evidence is None else evidence,
    }
    return f"claim_{_hash(content)[:24]}"


def _digest(filings: list[Json]) -> str:
    readings = [[item[name] for name in ("evidence_id", "raw_hash", "parser_version")] for item in filings]
    return f"sha256:{_hash(readings)}"


def _reading(item: Json) -> str:
    return f"{item['raw_hash']} read by {item['parser_version']}, rows {item['rows'] or 'none'}"


def _rows_text(rows: str | list[int]) -> str:
    """Rows as a manifest states them: `3,7-9`, or the hash of that text where it is long."""
    if isinstance(rows, str):
        return rows
    if not isinstance(rows, list) or any(type(row) not in (int, float) for row in rows):
        raise TypeError(f"rows {rows!r}")
    runs: list[list[int]] = []
    for row in sorted({int(row) if row % 1 == 0 else row for row in rows}):
        if runs and row == runs[-1][1] + 1:
            runs[-1][1] = row
        else:
            runs.append([row, row])
    text = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return text if len(text) <= 200 else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _hash(content: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


def _text(content: Any) -> str:
    return rfc8785.dumps(content).decode()


def _without(content: Json, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}


def _unwrapped(answer: Json) -> Json:
    """The API's envelope has nothing beside it."""
    return answer["data"] if answer.keys() == {"data"} else answer
