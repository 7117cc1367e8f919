"""As a user writes it, with the wheel installed; the asserts are what the package promises."""

import itertools
import json
import os
import uuid
from pathlib import Path

from tidemark_client import NotFound, Tidemark, to_frame, verify, verify_evidence

with Tidemark(os.environ["TIDEMARK_URL"], os.environ["TIDEMARK_KEY"]) as client:
    brief = client.brief("AAPL")
    assert verify(brief) == []
    assert [problem.what for problem in verify({**brief, "headline": "Everybody buys."})] == ["brief_id", "headline"]
    evidence = client.evidence(brief["brief_id"])
    assert verify_evidence(brief, evidence) == []
    assert verify_evidence(brief, evidence[1:]) != []

    # Several pages, against one page with everything, and in exact integers.
    paged = to_frame(client.rows("/funds/1067983/holdings", year=2023, quarter=1, limit=20))
    whole = client.get("/funds/1067983/holdings", year=2023, quarter=1, limit=500)["data"]["holdings"]
    assert len(whole) > 20 and paged["cusip"].to_list() == [row["cusip"] for row in whole]
    assert str(paged["value_cents"].dtype) == "Int64"
    assert int(paged["value_cents"].sum()) == sum(int(row["value_cents"]) for row in whole)

    for path in ("/funds", "/stocks/AAPL", "/stocks/AAPL/history", "/insider/transactions"):
        frame = to_frame(client.rows(path))
        amounts = [name for name in frame.columns if name.endswith(("_cents", "_delta"))]
        floats = [name for name in amounts if "float" in str(frame[name].dtype).lower()]
        assert len(frame) > 0 and set(floats) <= {"pct_delta"}, (path, floats)

    events = list(itertools.islice(client.events(0, tickers=["MSFT", "TSLA"]), 3))
    assert {event["ticker"] for event in events} <= {"MSFT", "TSLA"}
    try:
        client.get("/funds/1")
        raise AssertionError("a fund that does not exist was answered")
    except NotFound as error:
        assert error.code == "fund_not_found" and error.request_id

    before = client.get("/credits")["data"]["balance"]
    key = str(uuid.uuid4())
    for _ in range(2):
        client.get("/funds", idempotency_key=key)
    assert client.get("/credits")["data"]["balance"] == before - 1

Path("brief.json").write_text(json.dumps(brief), "utf-8")
Path("evidence.json").write_text(json.dumps({"data": {"evidence": evidence}}), "utf-8")
