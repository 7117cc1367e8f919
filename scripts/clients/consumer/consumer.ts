import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { answerOf, TidemarkError, tidemark, verifyBrief, verifyEvidence } from 'tidemark-client';

// As a user writes it, with the package installed beside it; the asserts are what the package promises.
const { TIDEMARK_URL = '', TIDEMARK_KEY = '' } = process.env;
const client = tidemark({ baseUrl: TIDEMARK_URL, key: TIDEMARK_KEY });

const funds = answerOf(await client.get('/funds', { params: { query: { limit: 2 } } }));
const name: string | undefined = funds.data[0]?.name;
assert.ok(name !== undefined && funds.pagination.total > 2);
// @ts-expect-error: the types know every path
assert.equal((await client.get('/nothing')).response.status, 404);

const ticker = { params: { path: { ticker: 'AAPL' } } };
const brief = answerOf(await client.get('/stocks/{ticker}/capital-change-brief', ticker));
assert.deepEqual(verifyBrief(brief), { ok: true, problems: [] });
const forged = { ...brief.data, headline: 'Everybody buys.' };
assert.deepEqual(
  verifyBrief(forged).problems.map(({ what }) => what),
  ['brief_id', 'headline'],
);

const { brief_id } = brief.data;
const whole = { params: { path: { brief_id }, query: { limit: 500 } } };
const evidence = answerOf(await client.get('/briefs/{brief_id}/evidence', whole));
assert.equal(verifyEvidence(brief, [evidence]).ok, true);
assert.equal(verifyEvidence(brief, []).ok, false);

const unknown = client.get('/funds/{cik}', { params: { path: { cik: '1' } } }).then(answerOf);
const error = await unknown.catch((cause: unknown) => cause);
assert.ok(error instanceof TidemarkError && error.body?.error === 'fund_not_found');

const seen: number[] = [];
for await (const event of client.events('0', { tickers: ['MSFT', 'TSLA'] })) {
  seen.push(event.seq);
  if (seen.length === 3) break;
}
assert.equal(seen.length, 3);

const named = { params: { header: { 'Idempotency-Key': crypto.randomUUID() } } };
const charges = [await client.get('/funds', named), await client.get('/funds', named)].map(({ response }) =>
  response.headers.get('X-Credits-Charged'),
);
assert.deepEqual(charges, ['1', '0']);

writeFileSync('brief.json', JSON.stringify(brief));
writeFileSync('evidence.json', JSON.stringify(evidence));
