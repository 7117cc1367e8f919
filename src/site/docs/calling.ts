import { html } from '../html.ts';
import { inline, listing, paragraphs } from './prose.ts';
import type { Section } from './section.ts';
import { creditsTable, errorsTable } from './tables.ts';

export const credits: Section = {
  id: 'credits',
  title: 'Endpoints and credits',
  body: () => html`
${paragraphs('One credit is one US cent. **Only 2xx and 304 are charged**, after the whole answer was built; an error costs nothing, and a charge whose answer could not be sent is taken back. An outcome such as `no_data` or `refused` is an answer: it was computed, and it is charged.')}
${creditsTable()}
${paragraphs('Every metered answer carries `X-Credits-Charged` and `X-Credits-Balance`. With too few credits you get 402 with `needed`, `balance` and `topup_url`.')}
`,
};

export const paging: Section = {
  id: 'paging',
  title: 'Paging',
  body: ({ siteUrl }) => html`
${paragraphs('Lists take `page`, from 1, and `limit`. `pagination` holds `page`, `limit`, `total` and `pages`, and the `Link` header holds absolute addresses with `rel` first, prev, next and last. A page past the end is 200 and empty, with true totals; an empty list has `pages: 0`. A value out of its bounds is 400: nothing is clamped.')}
${listing(
  `curl -s -D - -o /dev/null "${siteUrl}/v1/funds?limit=2" -H "Authorization: Bearer $TIDEMARK_KEY" | grep -i '^link'`,
  'curl',
)}
`,
};

export const errors: Section = {
  id: 'errors',
  title: 'Errors',
  body: () => html`
${paragraphs('Every error has one shape, and a 400 lists everything that is wrong with the request at once. Keep `request_id`: it names the request in our logs.')}
${listing(ERROR, 'An error answer')}
${errorsTable()}
${paragraphs('Retry 429 and 503 after the seconds in `Retry-After`, and 500 and a lost connection after a second or two, each time longer; with an `Idempotency-Key` a retry is never charged twice. Do not retry other errors: they stay.')}
`,
};

const ERROR = `{
  "error": "invalid_parameter",
  "message": "The request is not valid: limit.",
  "request_id": "5f0c1a2b3c4d-1z",
  "details": [
    {
      "param": "limit",
      "reason": "Too big: expected number to be <=100",
      "value": "1000"
    }
  ]
}`;

export const idempotency: Section = {
  id: 'idempotency',
  title: 'Idempotency',
  body: ({ siteUrl }) => html`
<p>${inline('Name a call with `Idempotency-Key`, 1 to 255 printable characters of your choice. For ten minutes the same key with the same call is charged once: up to five replays are computed anew, cost 0 and say `Idempotent-Replayed: true`. The same key with another call is 422; a second call while the first is in flight is 409. A call that failed uncharged does not use its key up.')}</p>
${listing(
  `curl -s ${siteUrl}/v1/stocks/AAPL/capital-change-brief \\
  -H "Authorization: Bearer $TIDEMARK_KEY" -H "Idempotency-Key: nightly-2018-11-30-AAPL"`,
  'curl',
)}
`,
};

export const limits: Section = {
  id: 'limits',
  title: 'Rate limits',
  body: ({ rateLimit }) => html`
<p>${inline(
    rateLimit === undefined
      ? 'This installation does not bound how often a key may call.'
      : `A key may call ${rateLimit.perSecond} times a second in the long run, and ${rateLimit.burst} times at once after a rest.`,
  )} ${inline('`RateLimit` says how many calls are left and when the burst is whole again, `RateLimit-Policy` what the burst is. Beyond it the answer is 429 with `Retry-After`, uncharged. An address that fails to authenticate again and again is answered 429 for a while, too.')}</p>
${paragraphs('Sizes: a URL of up to 8 KB, headers of up to 16 KB, a JSON body of up to 64 KB.')}
`,
};
