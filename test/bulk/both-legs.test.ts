import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ticker } from '../../src/domain/ids.ts';
import type { Brief } from '../../src/domain/wire/brief.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow } from '../flow/flow.ts';
import { openFolder } from '../flow/folder.ts';
import { ingestInOrder, settleFlow } from '../flow/stages.ts';
import { opened } from '../opened.ts';

/**
 * The only real filings of the corpora in which managers and insiders moved in one security at one time:
 * HSBC's reports of two quarters in the data set 2013Q2, and Forms 4 of LinkedIn and Tesla. The fails file,
 * which gives the tickers their CUSIPs, is constructed.
 */
const REAL = new URL('../filings/2013q2/', import.meta.url);
const FORMS = ['0001209191-13-028089', '0001494730-13-000004'];
const FAILS = [
  'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE',
  '20130603|53578A108|LNKD|1200|LINKEDIN CORP-CL A|167.55',
  '20130603|88160R101|TSLA|900|TESLA MOTORS INC|97.76',
  'Trailer record count 2',
  '',
].join('\n');

const folder = opened(() => openFolder({ accessions: [], symbols: [] }));
let flow: Flow;

beforeAll(async () => {
  await folder.add('cnsfails201306a.txt', FAILS);
  for (const accession of FORMS)
    await folder.add(`${accession}.txt`, await readFile(new URL(`${accession}.txt`, REAL)));
  flow = await openFlow(folder, '2013-06-28');
  await ingestInOrder(flow, { accessions: FORMS, reference: 'first', settleEvery: 9 });
  const tables = fileURLToPath(new URL('2013q2_form13f', REAL));
  await tidemark(flow.world, 'backfill', '13f', '--file', tables);
  await settleFlow(flow);
}, 300_000);

afterAll(async () => {
  await flow?.close();
});

async function briefOf(ticker: string): Promise<Brief> {
  const { body } = await currentBrief(flow.db, ticker as Ticker, () => new Date());
  return (JSON.parse(body.toString()) as { data: Brief }).data;
}

test.each([
  ['LNKD', '13623', 'net_increases', 'net_selling', [0, 15_228_151.85]],
  ['TSLA', '-9478', 'net_decreases', 'net_buying', [100_000_058.96, 0]],
])(
  '%s: the insiders contradict the manager, by real filings (rule 8.5)',
  async (ticker, delta, up, side, dollars) => {
    const { institutional, insiders, corroboration, corroboration_detail, coverage } = await briefOf(ticker);
    expect(institutional.changes.map(({ share_delta }) => share_delta)).toEqual([delta]);
    expect([institutional.stance, insiders.stance, corroboration]).toEqual([up, side, 'contradicts']);
    expect(corroboration_detail).toMatchObject({ independent: true, shared_ciks: [] });
    const { buy_value_usd, sell_value_usd } = insiders.totals;
    expect([buy_value_usd, sell_value_usd]).toEqual(dollars);
    // HSBC is known by the data set alone.
    expect(coverage.limitations).toContain(
      "1 report was read from the SEC's quarterly data sets, not from the filings. Only the day of publication is known.",
    );
  },
);
