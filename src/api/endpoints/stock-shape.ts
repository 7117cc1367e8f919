import { z } from 'zod';
import { paginationShape } from '../endpoint/page.ts';
import { qualityShape } from '../endpoint/quality-shape.ts';

const entity = z.strictObject({
  ticker: z.string().describe('In its one spelling, `BRK.B`'),
  name: z.string(),
  cusip: z.string().describe('The CUSIP of the positions'),
  cik: z.string().nullable().describe('Of the issuer; null when no source has it'),
});

const owner = z.strictObject({
  fund: z.strictObject({ name: z.string(), cik: z.string(), slug: z.string() }),
  quarter_end: z.string().describe('Of the report of the row'),
  shares: z.string(),
  value_cents: z.string(),
  weight_pct: z
    .number()
    .describe(
      "Share of the equity of that report, the manager's AUM; 0 for rows whose value does not count. Rows that an amendment adds in a scale that nothing confirms count only with `value_unit_unverified`",
    ),
  change_type: z
    .enum(['NEW', 'ADDED', 'REDUCED', 'EXITED', 'HELD'])
    .describe(
      'Since the quarter before. A row without a comparable quarter is NEW, with the reason in `quality`',
    ),
  share_delta: z.string(),
  pct_delta: z.number().describe('NEW 100, EXITED -100, HELD 0'),
  published_at: z.strictObject({
    value: z.string(),
    precision: z.enum(['second', 'day']).describe('`day` when only the day is known'),
  }),
  evidence_ids: z.array(z.string()).describe("The report's filings first, then those of the quarter before"),
  quality: qualityShape,
  stale: z
    .boolean()
    .describe('The manager has not reported the latest quarter yet; its earlier report is carried forward'),
});

/** Rule 7.3. */
export const stockBody = z.strictObject({
  data: z.strictObject({
    entity,
    quarter_end: z.string().nullable().describe('The requested quarter; null when no report is known'),
    latest_quarter_filing_window: z
      .enum(['open', 'closed'])
      .describe('Of the latest reported quarter, for any requested quarter'),
    owners: z.array(owner),
    totals: z
      .strictObject({
        holders: z.int().describe('Managers with shares'),
        shares: z
          .string()
          .describe('Without rows marked `shares_equal_value`, whose share counts are unknown'),
        value_cents: z.string().describe('Without rows marked `implied_price_outlier`'),
      })
      .describe('Over all pages, without options and bonds'),
    counts: z
      .strictObject({
        initiated: z.int(),
        added: z.int(),
        reduced: z.int(),
        exited: z.int(),
        unchanged: z.int(),
        baseline_only: z.int().describe('Without a comparable quarter before'),
        stale: z.int().describe('How many of the counted ones are carried forward'),
      })
      .describe('Over all pages; without a quarter the same as in the brief'),
    pagination: paginationShape,
  }),
});

export type StockData = z.input<typeof stockBody>['data'];
