import { z } from 'zod';
import { institutionalShape } from '../../domain/wire/brief-legs.ts';
import { day } from '../../domain/wire/brief-values.ts';
import { coveredShape } from '../../domain/wire/limitation.ts';
import { positionHistory } from '../../read/holders/position-history.ts';
import { resolvePublished } from '../../read/holders/resolution.ts';
import { findFund } from '../../store/report/funds.ts';
import { defineEndpoint, refusal } from '../endpoint/endpoint.ts';
import { cikParam, tickerParam } from '../endpoint/param.ts';
import { noSuchStock, securityOf } from './stock.ts';

const quarter = z.strictObject({
  quarter_end: day,
  holders: z.int().describe('Managers with shares'),
  shares: z.string().describe("In today's shares, without those whose count is unknown"),
  value_cents: z.string().describe('As reported at the end of the quarter'),
  counts: institutionalShape.shape.counts,
  net_share_delta: z.string().describe("Of the clear changes, in today's shares"),
  stance: institutionalShape.shape.stance,
  ...coveredShape,
});

/** Rule 7.7. */
export const historyBody = z.strictObject({
  data: z.strictObject({
    ticker: z.string(),
    quarters: z.array(quarter),
    cik: z.string().nullable().describe('The requested manager'),
  }),
});

export const stockHistory = defineEndpoint({
  name: 'stock.history',
  path: '/stocks/{ticker}/history',
  title: 'Position history',
  summary: 'Quarter by quarter: how many managers held a stock, how many shares, and what they changed',
  description:
    'One line per quarter, newest first: the holders by the reports of that quarter alone, as in `/stocks/{ticker}` with `year` and `quarter`. Shares are restated into those of the latest reported quarter, for splits and new CUSIPs that filers proved. Counts and stance are those of the quarter itself. No older report is carried forward, so while the filing window of the latest quarter is open its line differs from the brief, and says so.\n\n`cik` limits every line to one manager. `coverage_status` and `limitations` say what a quarter lacks.',
  details:
    'There are fewer `quarters` than asked for when the stored reports begin later. A ticker that is unknown, stands for several securities, or has no known CUSIP is 404 `stock_not_found`; an unknown `cik` is 404 `fund_not_found`.',
  example: { ticker: 'AMZN', quarters: 2 },
  digest: {
    facts: ['ticker', 'cik'],
    rows: {
      at: 'quarters',
      columns: [
        'quarter_end',
        'holders',
        'shares',
        'value_cents',
        'net_share_delta',
        'stance',
        'coverage_status',
        'limitations',
      ],
    },
  },
  credits: 2,
  firstComputes: true,
  params: { ticker: tickerParam },
  query: {
    quarters: z.int().min(1).max(12).default(8).describe('Number of quarters'),
    cik: cikParam.optional().describe('CIK of one manager'),
  },
  output: historyBody,
  errors: ['stock_not_found', 'fund_not_found'],
  async handler({ db }, { ticker, quarters, cik = null }) {
    const { publication, resolution } = await resolvePublished(db, ticker);
    const security = securityOf(resolution);
    if (security === null) return noSuchStock(db, resolution);
    if (cik !== null && (await findFund(db, cik)) === null) {
      return refusal('fund_not_found', `No fund has the CIK ${cik}.`);
    }
    const { key } = security;
    const lines = await positionHistory(db, {
      ...key,
      corpus: publication.corpus,
      quarters,
      cik,
    });
    const data = {
      ticker: key.ticker,
      quarters: lines.map(({ limitations, ...line }) => ({ ...line, limitations: [...limitations] })),
      cik,
    };
    return { kind: 'body', body: { data } };
  },
});
