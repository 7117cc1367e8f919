import { z } from 'zod';
import { paginationShape } from '../endpoint/page.ts';
import { qualityShape } from '../endpoint/quality-shape.ts';

const entity = z.strictObject({
  ticker: z.string().describe('In its one spelling, `BRK.B`'),
  name: z.string(),
  cusip: z.string().describe('By which positions were matched'),
  cik: z.string().nullable().describe('Of the issuer; null where no source tells it'),
});

const owner = z.strictObject({
  fund: z.strictObject({ name: z.string(), cik: z.string(), slug: z.string() }),
  quarter_end: z.string().describe('Of the report that the row comes from'),
  shares: z.string(),
  value_cents: z.string(),
  weight_pct: z
    .number()
    .describe(
      "Share of the equity of that report, the manager's AUM; 0 where the value is marked as not in it. What an amendment adds in a unit that nothing confirms is in that equity only for rows with `value_unit_unverified`",
    ),
  change_type: z
    .enum(['NEW', 'ADDED', 'REDUCED', 'EXITED', 'HELD'])
    .describe('Against the quarter before; a row without a comparable one is NEW and says so in `quality`'),
  share_delta: z.string(),
  pct_delta: z.number().describe('NEW 100, EXITED -100, HELD 0'),
  published_at: z.strictObject({
    value: z.string(),
    precision: z.enum(['second', 'day']).describe('`day` where only the day is known'),
  }),
  evidence_ids: z.array(z.string()).describe("The report's filings first, then those of the quarter before"),
  quality: qualityShape,
  stale: z.boolean().describe('The manager has not reported the latest quarter yet: carried forward'),
});

const count = (what: string) => z.int().describe(what);

/** Rule 7.3. */
export const stockBody = z.strictObject({
  data: z.strictObject({
    entity,
    quarter_end: z.string().nullable().describe('The quarter asked for; null while no report is known'),
    latest_quarter_filing_window: z
      .enum(['open', 'closed'])
      .describe('Of the latest reported quarter, whichever was asked for'),
    owners: z.array(owner),
    totals: z
      .strictObject({
        holders: z.int().describe('Managers with shares'),
        shares: z
          .string()
          .describe('Without rows marked `shares_equal_value`, whose share counts are not known'),
        value_cents: z.string().describe('Without rows marked `implied_price_outlier`'),
      })
      .describe('Over all pages; options and bonds are never in it'),
    counts: z
      .strictObject({
        initiated: z.int(),
        added: z.int(),
        reduced: z.int(),
        exited: z.int(),
        unchanged: z.int(),
        baseline_only: count('Without a comparable quarter before'),
        stale: count('Of those counted, how many are carried forward'),
      })
      .describe('Over all pages; without a quarter those of the brief'),
    pagination: paginationShape,
  }),
});

export type StockData = z.input<typeof stockBody>['data'];
