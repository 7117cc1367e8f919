import { EVENT_PROMISE } from '../../api/endpoints/event-shape.ts';
import { html } from '../html.ts';
import { inline, listing, paragraphs } from './prose.ts';
import type { Section } from './section.ts';

export const polling: Section = {
  id: 'events',
  title: 'Following events',
  body: ({ siteUrl }) => html`
${paragraphs('`/events` is a stream that you pull. Start with `since=0` for all events, or without `since` for the latest ones. Then ask again with `since` set to the `next_cursor` of the last answer. Every answer has one, even when nothing is new.')}
<div class="promise"><p><strong>The promise.</strong> ${inline(EVENT_PROMISE)}</p></div>
${listing(loop(siteUrl), 'Python')}
${paragraphs('Store the cursor **after** you handled its events. A crash then repeats some events and loses none; `accession_number` shows which ones you have seen. `/watchlist/poll` is the same stream for the tickers and CIKs of your watchlist. For a form that is not ingested the answer has the note `unsupported_form`.')}
`,
};

function loop(siteUrl: string): string {
  return `import os, pathlib, time, requests

cursor_file = pathlib.Path("cursor.txt")
cursor = cursor_file.read_text() if cursor_file.exists() else "0"
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['TIDEMARK_KEY']}"

while True:
    answer = session.get("${siteUrl}/v1/events", params={"since": cursor, "limit": 200}, timeout=30)
    if answer.status_code in (429, 503):
        time.sleep(int(answer.headers["Retry-After"]))
        continue
    answer.raise_for_status()
    page = answer.json()["data"]
    for event in page["events"]:
        print(event["seq"], event["ticker"], event["accession_number"])
    cursor = page["next_cursor"]
    cursor_file.write_text(cursor)      # after the events were handled
    if not page["events"]:
        time.sleep(30)`;
}
