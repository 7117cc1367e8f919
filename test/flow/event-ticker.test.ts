import { afterAll, beforeAll, expect, test } from 'vitest';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { corpusText, openFolder } from './folder.ts';
import { openReader } from './reader.ts';

/** A real form of Fair Isaac; the others are this one, constructed with another symbol or issuer. */
const FICO = '0001214659-20-002786';
const MADE_UP = '0009999998';
const CONSTRUCTED = {
  '0009999999-20-000001': { symbol: 'NYSE: fico', issuer: null },
  '0009999999-20-000002': { symbol: 'NONE', issuer: null },
  '0009999999-20-000003': { symbol: 'N/A', issuer: MADE_UP },
} as const;

const folder = opened(() => openFolder({ accessions: [FICO], symbols: ['FICO'] }));
let flow: Flow;

beforeAll(async () => {
  const real = await corpusText(FICO);
  for (const [accession, { symbol, issuer }] of Object.entries(CONSTRUCTED)) {
    const text = real
      .replaceAll(FICO, accession)
      .replace(/(<issuerTradingSymbol>)[^<]*/, `$1${symbol}`)
      .replaceAll('0000814547', issuer ?? '0000814547');
    await folder.add(`${accession}.txt`, text);
  }
  flow = await openFlow(folder, '2020-03-31');
  await runPipeline(flow);
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  await flow?.close();
});

test('the event ticker is the symbol of the form, else the one of the issuer, else empty (rule 6.10)', async () => {
  const { body } = await reader.get('/events?since=0&form=4');
  const tickers = body.data.events.map((event: { accession_number: string; ticker: string }) => [
    event.accession_number,
    event.ticker,
  ]);
  expect(Object.fromEntries(tickers)).toEqual({
    [FICO]: 'FICO',
    '0009999999-20-000001': 'FICO',
    '0009999999-20-000002': 'FICO',
    '0009999999-20-000003': '',
  });
});

test('a filing keeps no ticker: what reads it again does not depend on the tickers that are known by then', async () => {
  expect(await filingsIn(flow.db).countDocuments({ ticker: { $exists: true } })).toBe(0);
});
