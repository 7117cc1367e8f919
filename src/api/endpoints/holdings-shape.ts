import { z } from 'zod';
import { paginationShape } from '../endpoint/page.ts';
import { qualityShape } from '../endpoint/quality-shape.ts';

const summedApart = z.strictObject({ rows: z.int(), value_cents: z.string() });

const filing = z.strictObject({
  quarter_end: z.string(),
  year: z.int(),
  quarter: z.int(),
  holdings_count: z.int(),
  accession_number: z.string(),
  form_type: z.string(),
  filed_at: z.string().describe('A day when only the day is known'),
  prior_quarter_end: z.string().nullable(),
  comparison_available: z.boolean(),
  excluded: z
    .strictObject({ options: summedApart, principal: summedApart })
    .describe('Rows that are summed separately and never count as equity'),
  quality: qualityShape,
});

const row = z.strictObject({
  cusip: z.string(),
  ticker: z.string().nullable(),
  issuer: z.string(),
  shares: z.string(),
  value_cents: z.string(),
  change_type: z.enum(['NEW', 'ADDED', 'REDUCED', 'EXITED', 'HELD']),
  share_delta: z.string(),
  pct_delta: z.number(),
  prior_shares: z.string(),
  prior_value_cents: z.string(),
  weight_pct: z
    .number()
    .describe(
      'Share of the equity of the report; 0 for rows whose value does not count (`implied_price_outlier`, `amount_implausible`). Rows that an amendment adds in a scale that nothing confirms count only with `value_unit_unverified`',
    ),
  quality: qualityShape,
  evidence_ids: z.array(z.string()),
});

/** Rule 11.5. */
export const holdingsBody = z.strictObject({
  data: z.strictObject({
    fund: z.strictObject({ cik: z.string(), name: z.string() }),
    filing,
    holdings: z.array(row),
    pagination: paginationShape,
  }),
});

export type HoldingsFiling = z.input<typeof filing>;
export type HoldingRow = z.input<typeof row>;
