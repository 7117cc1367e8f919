import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, RESTATED, restatedSummer, SPRING, SUMMER } from './greenlight.ts';
import { openReader, type Reader } from './reader.ts';
import { type Shown, shownIn } from './shown.ts';

const APPLE = '037833100';
const GM = '37045V100';
const SYMBOLS = ['AAPL', 'GM'];

let folder: Folder;
let flow: Flow;
let reader: Reader;
let before: Shown;

beforeAll(async () => {
  folder = await openFolder({ accessions: [SPRING, SUMMER, AUTUMN], symbols: SYMBOLS });
  flow = await openFlow(folder, '2018-11-30');
  await runPipeline(flow);
  before = await shownIn(flow.db);
  await folder.add(`${RESTATED}.txt`, await restatedSummer());
  await folder.add(`${ADDED}.txt`, await addedAutumn());
  await flow.edgar.rescan();
  await runPipeline(flow);
  reader = await openReader(flow);
}, 300_000);

afterAll(async () => {
  await reader?.close();
  await flow?.close();
  await folder?.remove();
});

async function holdingsOf(year: number, quarter: number) {
  const { body } = await reader.get(`/funds/1079114/holdings?year=${year}&quarter=${quarter}&limit=500`);
  return body.data;
}

const rowIn = (data: { holdings: { cusip: string }[] }, cusip: string) =>
  data.holdings.find((row) => row.cusip === cusip);

describe('a restatement', () => {
  test('replaces the original in the diff of its own quarter (rule 2.8)', async () => {
    const data = await holdingsOf(2018, 2);
    expect(data.filing).toMatchObject({ accession_number: RESTATED, form_type: '13F-HR/A' });
    // Spring 22,614,400; the original had 21,160,843, the restatement has a million more.
    expect(rowIn(data, GM)).toMatchObject({
      shares: '22160843',
      share_delta: '-453557',
      change_type: 'REDUCED',
    });
    // Spring 628,100 Apple; the restatement has none.
    expect(rowIn(data, APPLE)).toMatchObject({ change_type: 'EXITED', share_delta: '-628100' });
    expect(rowIn(data, GM)).toMatchObject({ evidence_ids: [`sec:13f:${RESTATED}`, `sec:13f:${SPRING}`] });
  });

  test('changes the diff of the quarter after it (rule 2.8)', async () => {
    // 14,881,043 - 22,160,843; against the original it was -6,279,800.
    expect(rowIn(await holdingsOf(2018, 3), GM)).toMatchObject({ share_delta: '-7279800' });
  });

  test('is named by the filing that it replaces', async () => {
    const { body } = await reader.get('/funds/1079114');
    const named = Object.fromEntries(
      body.data.filings.map((filing: { accession_number: string; superseded_by: string | null }) => [
        filing.accession_number,
        filing.superseded_by,
      ]),
    );
    expect(named).toEqual({
      [ADDED]: null,
      [AUTUMN]: null,
      [RESTATED]: null,
      [SUMMER]: RESTATED,
      [SPRING]: null,
    });
  });
});

describe('new holdings', () => {
  test('stand beside the rows of the original (rule 2.8)', async () => {
    const data = await holdingsOf(2018, 3);
    // 20 positions of the original and the one that was added.
    expect(data.filing).toMatchObject({ holdings_count: 21, accession_number: ADDED });
    expect(rowIn(data, APPLE)).toMatchObject({
      change_type: 'NEW',
      shares: '500000',
      value_cents: '11287000000',
      prior_shares: '0',
    });
  });

  test('change the brief, its evidence, its time of publication and its id (rule 2.8)', async () => {
    const { body } = await reader.get('/stocks/AAPL/capital-change-brief');
    const [change] = body.data.institutional.changes;
    expect(change).toMatchObject({
      action: 'initiated',
      current_shares: '500000',
      published_at: { value: '2018-11-20T14:30:00Z', precision: 'second' },
      amendment: { is_amendment: true, amendment_type: 'new_holdings' },
    });
    expect(change.evidence_ids).toEqual(expect.arrayContaining([`sec:13f:${ADDED}`, `sec:13f:${AUTUMN}`]));
    expect(body.data.brief_id).not.toBe(before.briefs['AAPL']);
    const gm = (await reader.get('/stocks/GM/capital-change-brief')).body.data;
    expect(gm.institutional.changes[0]).toMatchObject({ action: 'reduced', share_delta: '-7279800' });
    expect(gm.brief_id).not.toBe(before.briefs['GM']);
  });
});

test('amendments that are there from the start give the same ids and bytes as later ones (rule 2.8)', async () => {
  const fresh = await openFlow(folder, '2018-11-30');
  try {
    await runPipeline(fresh);
    const [now, once] = await Promise.all([shownIn(flow.db), shownIn(fresh.db)]);
    expect(now.reports).toEqual(once.reports);
    expect(now).toEqual(once);
  } finally {
    await fresh.close();
  }
}, 300_000);
