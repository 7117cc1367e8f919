"""The members of a brief, and the check that a value has them.

A name that ends in `?` may be absent, one in `~` null; `=` begins a word that is meant itself. The TypeScript
client has the same text.
"""

from __future__ import annotations

import json
import re
from typing import Any

BRIEF_SHAPE = """{
  "schema_version": "=capital_change_brief.v1",
  "outcome": "=complete|=partial|=uncertain|=no_data|=refused",
  "current_only": "true", "generated_at": "time", "requested_ticker": "text", "brief_id": "text", "facts_id": "text",
  "entity": {"ticker": "text", "name": "text", "cusip": "text", "cik": "text|null"},
  "headline": "text", "explanation": "text", "disclaimer": "text",
  "institutional": {
    "stance": "=net_increases|=net_decreases|=mixed|=unchanged|=none_found|=not_determined",
    "ranking_basis": "=absolute_reported_share_change",
    "changes": [{
      "fund": {"name": "text", "cik": "text", "slug": "text"},
      "action": "text", "quarter_end": "day", "current_shares": "whole", "previous_shares": "whole",
      "share_delta": "whole", "pct_delta": "number", "current_value_usd": "number", "previous_value_usd": "number",
      "weight_pct": "number", "published_at": {"value": "day|time", "precision": "=day|=second"},
      "quality": {"status": "=clear|=uncertain|=excluded", "reasons": ["text"]}, "evidence_ids": ["text"],
      "amendment": {"is_amendment": "flag", "amendment_type": "text|null"},
      "restated~": {
        "factor_numerator": "whole", "factor_denominator": "whole", "from_cusip": "text|null",
        "reported_previous_shares": "whole"
      }
    }],
    "counts": {
      "initiated": "count", "added": "count", "reduced": "count", "exited": "count", "unchanged": "count",
      "baseline_only": "count"
    },
    "totals": {
      "net_share_delta": "whole", "gross_share_delta": "whole", "shares_now": "whole", "shares_before": "whole",
      "net_pct_of_held": "number|null", "net_value_usd": "number|null", "holders_up": "count", "holders_down": "count",
      "median_pct_delta": "number|null"
    },
    "options": {"managers": "count", "put_underlying_delta": "whole", "call_underlying_delta": "whole"},
    "latest_reported_quarter_end": "day|null", "tracked_managers_observed": "count",
    "periods_observed": [{"quarter_end": "day", "managers": "count"}], "stale_manager_observations": "count"
  },
  "insiders": {
    "stance": "=net_buying|=net_selling|=mixed|=none_found|=not_available",
    "stance_discretionary": "=net_buying|=net_selling|=mixed|=none_found|=not_available",
    "totals": {
      "buy_value_usd": "number|null", "sell_value_usd": "number|null", "plan_sell_value_usd": "number|null",
      "tax_or_exercise_sell_value_usd": "number|null", "discretionary_net_usd": "number|null"
    },
    "window_days": "count", "window_start": "day", "window_end": "day",
    "transactions": [{
      "transaction_id": "text", "accession_number": "text", "form_type": "text",
      "issuer": {"cik": "text", "name": "text", "ticker": "text"},
      "owners": [{
        "cik": "text", "name": "text", "is_director": "flag", "is_officer": "flag", "is_ten_percent_owner": "flag",
        "officer_title": "text|null", "roles": ["text"]
      }],
      "security_title": "text", "transaction_date": "filed|null", "filed_at": "filed|time", "code": "text",
      "side": "=buy|=sell", "kind": "=discretionary|=plan|=tax_cover|=exercise_and_sell", "acquired_disposed": "text",
      "shares": "decimal", "price_per_share": "decimal|null", "value_usd": "number|null",
      "shares_owned_after": "decimal|null", "pct_of_holding": "number|null",
      "ownership": "=direct|=indirect|null", "is_10b5_1": "flag|null", "is_derivative": "false", "priced": "flag",
      "footnotes": [{
        "id": "text", "text": "text|null", "same_as?": {"transaction_id": "text", "id": "text"}, "qualifies": ["text"]
      }],
      "amendment": {"is_amendment": "flag", "amends": "text|null"},
      "quality": {"status": "=clear|=uncertain|=excluded", "reasons": ["text"]}, "evidence_ids": ["text"],
      "source_url": "text"
    }],
    "counts": {
      "buys": "count", "sells": "count", "distinct_buyers": "count", "distinct_sellers": "count", "priced": "count",
      "unpriced": "count"
    }
  },
  "corroboration": "text", "corroboration_detail": {"independent": "flag", "shared_ciks": ["text"]},
  "quality_artifacts": {
    "suppresses_direction": "flag", "uncertain_observations": "count", "example_limit_per_group": "count",
    "evidence_id_limit_per_example": "count",
    "groups": [{
      "reason": "text", "severity": "=info|=warning|=critical", "leg": "=thirteen_f|=form4", "observation_count": "count",
      "suppresses_direction": "flag", "description": "text",
      "examples": [{
        "fund~": {"name": "text", "cik": "text"}, "quarter_end": "day|null", "detail": "text", "evidence_ids": ["text"]
      }]
    }]
  },
  "coverage": {
    "thirteen_f": {
      "corpus": "text", "status": "text", "latest_quarter_filing_window": "=open|=closed",
      "latest_reported_quarter_end": "day|null", "managers_with_comparable_change": "count",
      "baseline_observations": "count", "observations_scanned": "count", "observations_displayed": "count",
      "observations_total": "count", "periods_observed": [{"quarter_end": "day", "managers": "count"}],
      "stale_manager_observations": "count", "unread_filings": ["text"], "truncated": "flag"
    },
    "form4": {
      "status": "text", "coverage_start": "day|null", "indexed_through": "day|null", "window_start": "day",
      "window_end": "day", "unread_filings": ["text"], "truncated": "flag"
    },
    "limitations": ["text"], "limitation_codes": [{"code": "text", "scope": "=corpus|=ticker"}]
  },
  "evidence": [{
    "evidence_id": "text", "kind": "=sec_13f|=sec_form4", "source": "text", "accession_number": "text",
    "form_type": "text", "source_url": "text", "human_url": "text",
    "published_at": {"value": "day|time", "precision": "=day|=second"}, "retrieved_at": "time",
    "parser_version": "text", "raw_hash": "text|null"
  }],
  "evidence_scope": {
    "object_scope": "text", "returned_object_count": "count", "manifest_evidence_id_count": "count",
    "aggregate_claim_evidence_ids_complete": "flag"
  },
  "manifest": {
    "manifest_id": "text", "algorithm_version": "text", "current_only": "true",
    "parameters": {
      "ticker": "text", "form4_window_days": "count", "max_institutional_changes": "count",
      "max_insider_transactions": "count", "window_start": "day", "window_end": "day"
    },
    "quality": {
      "outcome": "text", "thirteen_f_status": "=available|=partial|=stale|=unavailable",
      "form4_status": "=complete|=partial|=unavailable", "institutional_truncated": "flag", "form4_truncated": "flag"
    },
    "evidence_ids": ["text"], "evidence_id_count": "count", "evidence_digest": "text",
    "filings": [{"evidence_id": "text", "raw_hash": "text|null", "parser_version": "text", "rows": "text"}],
    "claims": [{
      "claim_id": "text", "kind": "text", "subject": "object", "values": "object", "evidence_ids?": ["text"],
      "evidence_reference?": {"field": "text", "evidence_id_count": "count"}
    }]
  }
}"""

SHAPE = json.loads(BRIEF_SHAPE)
DAY = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
PATTERNS = {
    "text": "(?s:.*)",
    "whole": "0|-?[1-9][0-9]*",
    "decimal": r"-?[0-9]+(?:\.[0-9]+)?",
    "day": DAY,
    "filed": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "time": rf"{DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{{1,9}})?Z",
}


def require_shape(value: Any, shape: Any = SHAPE, at: str = "brief") -> None:
    """Raises ValueError, which names the first member that is not as a brief has it."""
    if isinstance(shape, str):
        if any(_is_of_kind(value, kind) for kind in shape.split("|")):
            return
    elif isinstance(shape, list):
        if isinstance(value, list):
            for n, item in enumerate(value):
                require_shape(item, shape[0], f"{at}[{n}]")
            return
    elif isinstance(value, dict):
        _require_members(value, shape, at)
        return
    raise ValueError(f"{at} is not as a brief has it: {value!r}")


def _require_members(members: dict[str, Any], shape: dict[str, Any], at: str) -> None:
    for key, member in shape.items():
        name = key.rstrip("?~")
        is_left_out = name not in members if key.endswith("?") else members[name] is None
        if key == name or not is_left_out:
            require_shape(members[name], member, f"{at}.{name}")
    other = members.keys() - {key.rstrip("?~") for key in shape}
    if other:
        raise ValueError(f"{at} has members {sorted(other)}")


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind.startswith("="):
        return value == kind[1:]
    if kind in PATTERNS:
        return isinstance(value, str) and re.fullmatch(PATTERNS[kind], value) is not None
    if kind in ("null", "true", "false"):
        return value is {"null": None, "true": True, "false": False}[kind]
    if kind == "object":
        return isinstance(value, dict)
    if kind == "flag" or isinstance(value, bool):
        return kind == "flag" and isinstance(value, bool)
    is_number = isinstance(value, (int, float))
    return is_number and (kind == "number" or (value >= 0 and value == int(value)))
