import { SEARCH_FRESH_MS } from '../../api/cache/search-memory.ts';
import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { EVENT_PROMISE } from '../../api/endpoints/event-shape.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { type Html, html } from '../html.ts';
import { endpointPath } from './endpoint-parts.ts';
import { inline, listing, paragraphs, type Section, table } from './prose.ts';

export const credits: Section = {
  id: 'credits',
  title: 'Endpoints and credits',
  body: () => html`
${paragraphs('One credit is one US cent. **Only 2xx and 304 are charged**, after the whole answer is built. An error costs nothing, and a charge is voided when its answer could not be sent. An outcome such as `no_data` or `refused` is a computed answer and is charged.')}
${creditsTable()}
${paragraphs('Every metered answer has `X-Credits-Charged` and `X-Credits-Balance`, and `X-Credits-Low: true` while the balance is low. With too few credits the answer is 402 with `needed`, `balance` and `topup_url`. The page of an endpoint has its parameters, a request in curl, TypeScript and Python, and a real answer.')}
${paragraphs(AGE)}
`,
};

/** Rule 11.23. */
const AGE = `What is searched, and the tickers of holdings, may be ${SEARCH_FRESH_MS / 1_000} second behind, and more while our database is away.`;

export const paging: Section = {
  id: 'paging',
  title: 'Paging',
  body: ({ siteUrl }) => html`
${paragraphs('Lists accept `page`, from 1, and `limit`. `pagination` has `page`, `limit`, `total` and `pages`. The `Link` header has absolute addresses with `rel` first, prev, next and last. A page past the end is 200 and empty, with true totals. An empty list has `pages: 0`. A value out of bounds is 400 and is never clamped.')}
${listing(
  `curl -s -D - -o /dev/null "${siteUrl}/v1/funds?limit=2" -H "Authorization: Bearer $TIDEMARK_KEY" | grep -i '^link'`,
  'The addresses of the pages',
)}
`,
};

export const errors: Section = {
  id: 'errors',
  title: 'Errors',
  body: () => html`
${paragraphs('All errors have the same shape. A 400 lists every problem of the request at once. `message` says in a sentence what is wrong and what would be right; `docs_url` leads to the page of the code. Keep `request_id`: it names the request in our logs.')}
${listing(ERROR, 'An error answer')}
${errorsTable()}
${paragraphs('Retry 429, 503 and a 409 with `idempotency_conflict` after the seconds in `Retry-After`. Retry 500 and a lost connection after a second or two, with longer pauses each time. With an `Idempotency-Key` a retry is never charged twice for the same answer. Do not retry other errors, because the answer will be the same.')}
`,
};

const ERROR = `{
  "error": "invalid_parameter",
  "message": "limit must be 1 to 100, not 1000.",
  "request_id": "5f0c1a2b3c4d-1z",
  "docs_url": "https://tidemark.example/docs/errors/invalid_parameter",
  "details": [
    {
      "param": "limit",
      "reason": "must be 1 to 100",
      "value": "1000"
    }
  ]
}`;

export const idempotency: Section = {
  id: 'idempotency',
  title: 'Idempotency',
  body: ({ siteUrl }) => html`
<p>${inline('Name a call with `Idempotency-Key`, 1 to 255 printable characters of your choice. For ten minutes the same key with the same call is charged once for the same answer. Up to five replays are computed again; while the answer is the one that was paid, they cost 0 and carry `Idempotent-Replayed: true`. Another answer is charged. A replay never waits for events. The same key with another call is 422. A second call while the first is in flight is 409. A call that failed uncharged does not use up its key.')}</p>
<p>${inline('An agent tool takes the same key as the argument `idempotency_key`. Without it, a tool call with the JSON-RPC id and the arguments of one that this key made within the last 60 seconds is that call, and the same answer costs 0: a host that lost an answer sends the message again. A call with `wait` is always a new one. Use another id for each new call.')}</p>
${listing(
  `curl -s ${siteUrl}/v1/stocks/AAPL/capital-change-brief \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H "Idempotency-Key: nightly-2023-05-31-AAPL"`,
  'A call with its own key',
)}
`,
};

export const polling: Section = {
  id: 'events',
  title: 'Following events',
  body: ({ siteUrl }) => html`
${paragraphs('`/events` is a stream that you pull. Start with `since=0` for all events, or without `since` for the latest ones. Then ask again with `since` set to the `next_cursor` of the last answer. Every answer has one, even when nothing is new.')}
<div class="notice notice-once"><p><strong>The promise.</strong> ${inline(EVENT_PROMISE)}</p></div>
${listing(loop(siteUrl), 'A loop that follows events')}
${paragraphs(`**Waiting.** With \`wait=50\` an empty answer is held for up to 50 seconds, and the first event that matches comes at once: no loop needs to ask more often. A client that goes before its answer pays nothing.`)}
${paragraphs(`**What it costs.** Every answer is charged, an empty one too. When nothing happens, from one call to the next: ${COSTS} Pause after an empty answer where minutes do not matter, and ask for a watchlist in one call rather than for each ticker.`)}
${paragraphs('**Alerts.** There are no webhooks and no e-mails: nothing calls you. To hear of a filing within moments, let a program of yours wait, as the loop above does. `events()` of both clients is that loop, ready to use, and `/watchlist/poll` brings the tickers and CIKs that you watch at `/connect` in one call.')}
${paragraphs('Store the cursor **after** you handled its events. A crash then repeats some events and loses none; `accession_number` shows which ones you have seen. `/watchlist/poll` is the same stream for the tickers and CIKs of your watchlist. For a form that is not ingested the answer has the note `unsupported_form`.')}
`,
};

/** Calls a day of one loop that finds nothing new, by the seconds from one call to the next. */
const COSTS = [50, 120, 600]
  .map(
    (seconds) =>
      `Every ${seconds} s: ${86_400 / seconds} calls a day, $${(86_400 / seconds / 100).toFixed(2)}.`,
  )
  .join(' ');

function loop(siteUrl: string): string {
  return `import os, pathlib, time, requests

cursor_file = pathlib.Path("cursor.txt")
cursor = cursor_file.read_text() if cursor_file.exists() else "0"
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['TIDEMARK_KEY']}"

while True:
    try:
        answer = session.get("${siteUrl}/v1/events", params={"since": cursor, "wait": 50}, timeout=70)
    except requests.RequestException:   # a lost connection
        time.sleep(5)
        continue
    if answer.status_code in (429, 500, 503):
        time.sleep(int(answer.headers.get("Retry-After", 5)))
        continue
    answer.raise_for_status()           # a retry does not help
    page = answer.json()["data"]
    for event in page["events"]:
        print(event["seq"], event["ticker"], event["accession_number"])
    cursor = page["next_cursor"]
    cursor_file.write_text(cursor)      # after the events were handled
    if not page["events"]:
        time.sleep(70)                  # together with the wait: a call every two minutes`;
}

/** Every endpoint with its price and its tool. */
function creditsTable(): Html {
  const rows = ENDPOINTS.map((endpoint) => [
    html`<a href="${endpointPath(endpoint)}"><code>${endpoint.path}</code></a>`,
    html`${priceOf(endpoint)}`,
    html`<code>${endpoint.name}</code>`,
    inline(endpoint.summary),
  ]);
  const columns = [
    { title: 'GET, below /v1' },
    { title: 'Credits', isNumber: true },
    { title: 'Agent tool' },
    { title: 'Answers' },
  ];
  return table('Endpoints and their prices', columns, rows);
}

/** Every error code, in the order of statuses. */
function errorsTable(): Html {
  const errors = Object.entries(ERRORS).sort(([, a], [, b]) => a.status - b.status);
  const rows = errors.map(([code, { status, meaning }]) => [
    html`<a href="${errorPath(code as ErrorCode)}"><code>${code}</code></a>`,
    html`${status}`,
    inline(meaning),
  ]);
  return table(
    'Error codes',
    [{ title: 'error' }, { title: 'Status', isNumber: true }, { title: 'When' }],
    rows,
  );
}

function priceOf({ credits }: Endpoint): string {
  return credits === 0 ? 'free' : String(credits);
}
