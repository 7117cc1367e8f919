import { html } from '../html.ts';
import { inline, listing, paragraphs, type Section } from './prose.ts';

/** Programs that a test runs as they stand, with the packages installed. */
export const CLIENT_SAMPLES = {
  typescript: (siteUrl: string): string => `import { answerOf, tidemark, verifyBrief } from "tidemark-client";

const client = tidemark({ baseUrl: "${siteUrl}", key: process.env.TIDEMARK_KEY ?? "" });
const path = { ticker: "AAPL" };
const brief = answerOf(await client.get("/stocks/{ticker}/capital-change-brief", { params: { path } }));
console.log(brief.data.headline, verifyBrief(brief).ok);

for await (const event of client.events("0")) {
  console.log(event.seq, event.ticker, event.accession_number);
  if (event.seq >= 3) break;
}`,
  python: (siteUrl: string): string => `import os
from tidemark_client import Tidemark, verify

with Tidemark("${siteUrl}", os.environ["TIDEMARK_KEY"]) as client:
    brief = client.brief("AAPL")
    print(brief["headline"], verify(brief) == [])
    for event in client.events(0):
        print(event["seq"], event["ticker"], event["accession_number"])
        if event["seq"] >= 3:
            break`,
  pandas: (siteUrl: string): string => `import os
from tidemark_client import Tidemark, to_frame

with Tidemark("${siteUrl}", os.environ["TIDEMARK_KEY"]) as client:
    holdings = to_frame(client.rows("/funds/1067983/holdings", limit=500))

print(holdings.dtypes["value_cents"])       # Int64
print(holdings["value_cents"].sum() // 100)  # dollars, exact
print(holdings.groupby("change_type")["value_cents"].sum())`,
  plainPandas: (siteUrl: string): string => `import os, pandas, requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['TIDEMARK_KEY']}"
rows, url = [], "${siteUrl}/v1/funds/1067983/holdings?limit=500"
while url:
    answer = session.get(url, timeout=30)
    answer.raise_for_status()
    rows += answer.json()["data"]["holdings"]
    url = answer.links.get("next", {}).get("url")

frame = pandas.DataFrame(rows)
exact = ["shares", "value_cents", "share_delta", "prior_shares", "prior_value_cents"]
frame[exact] = frame[exact].map(int).astype("Int64")
print(frame["value_cents"].sum() // 100)`,
} as const;

export const clients: Section = {
  id: 'clients',
  title: 'Clients',
  body: ({ siteUrl }) => html`
${paragraphs(
  'There is a package for TypeScript (Node 20.19 and later) and one for Python (3.10 and later). Both try again after 429, 5xx and a lost connection, after growing pauses and as long as `Retry-After` says up to five minutes, with one `Idempotency-Key` for all tries of a call. Both follow the stream of events, raise errors by their code, and recompute the ids of a brief offline.',
  'They are part of the source of this service, in its folder `packages`, and not yet on npm or PyPI: **install no package of this name from there**. With the two files from whoever runs this service:',
)}
${listing(
  `npm install ./tidemark-client-1.0.0.tgz
pip install "./tidemark_client-1.0.0-py3-none-any.whl[pandas]"`,
  'Installation of the clients',
)}
${listing(CLIENT_SAMPLES.typescript(siteUrl), 'TypeScript with the client')}
${listing(CLIENT_SAMPLES.python(siteUrl), 'Python with the client')}
${paragraphs('`events` goes on without end and waits for new events. Each call is charged, also one without new events. Both clients ask every 120 s (`idleMs`, `idle`) while nothing happens, which costs 720 credits a day. For 50 s of them the call itself waits, and an event comes at once.')}
${paragraphs('Postman imports `/openapi.json`. Choose "Example" for the generation of parameters, and every request has values that are answered. Then set the variable `bearerToken` of the collection to your key, and the header `Idempotency-Key` to `{{$guid}}`, or switch that header off: Postman invents one value for all requests, and the second one would be refused with `idempotency_mismatch`.')}
`,
};

export const pandas: Section = {
  id: 'pandas',
  title: 'pandas',
  body: ({ siteUrl }) => html`
<p>${inline('Share counts and cents are decimal strings, because a JSON number loses digits beyond 2^53. pandas would glue such strings together instead of adding them, without a warning. `to_frame` of the Python client makes them `Int64`, Python integers where 64 bits are too few, and `Decimal` where there are fractions (prices, some shares of insiders). CIKs and CUSIPs stay text.')}</p>
${listing(CLIENT_SAMPLES.pandas(siteUrl), 'pandas with the client')}
${paragraphs('Without the client, convert the columns yourself. `map(int)` refuses what is no whole number. `astype(float)` would round.')}
${listing(CLIENT_SAMPLES.plainPandas(siteUrl), 'pandas without the client')}
${paragraphs('Holdings, owners, funds and insider trades also come as CSV: send `Accept: text/csv`. The price is the same, and the header `Link` has the next page.')}
${listing(
  `curl -s -H "Authorization: Bearer $TIDEMARK_KEY" -H "Accept: text/csv" \\\n  "${siteUrl}/v1/funds/1067983/holdings?limit=500"`,
  'Holdings as CSV',
)}
`,
};
