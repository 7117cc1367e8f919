"""The client that openapi-python-client generates from the description, as its users call it."""

import os

from generated import AuthenticatedClient
from generated.api.events import events_latest
from generated.api.funds import fund_get, fund_holdings
from generated.api.stocks import capital_change_brief

client = AuthenticatedClient(base_url=f"{os.environ['TIDEMARK_URL']}/v1", token=os.environ["TIDEMARK_KEY"])

brief = capital_change_brief.sync(client=client, ticker="AAPL")
assert brief.data.brief_id.startswith("ccm_") and brief.data.headline
holdings = fund_holdings.sync(client=client, cik="1067983", year=2023, quarter=1, limit=2)
assert len(holdings.data.holdings) == 2 and int(holdings.data.holdings[0].value_cents) > 0

# It repeats a list parameter, whatever the description says of commas.
events = events_latest.sync(client=client, since="0", tickers=["MSFT", "TSLA"])
assert {event.ticker for event in events.data.events} == {"MSFT", "TSLA"}

missing = fund_get.sync_detailed(client=client, cik="1")
assert (missing.status_code, missing.parsed.error.value) == (404, "fund_not_found")
