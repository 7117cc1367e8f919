import { z } from 'zod';
import { qualityShape } from '../endpoint/quality-shape.ts';

const manager = z.strictObject({
  name: z.string(),
  role: z.enum(['filing_manager', 'included_manager', 'portfolio_manager']),
  cik: z.string().nullable(),
  form13f_file_number: z.string().nullable(),
  sequence: z.int().nullable().describe('Number in the list on the summary page'),
  source: z.string().describe('Address of the source'),
});

const filing = z.strictObject({
  accession_number: z.string(),
  form_type: z.string(),
  report_type: z.enum(['holdings', 'notice', 'combination']),
  quarter_end: z.string(),
  year: z.int(),
  quarter: z.int(),
  filed_at: z.string().describe('A day when only the day is known'),
  is_amendment: z.boolean(),
  amendment_type: z.enum(['restatement', 'new_holdings']).nullable(),
  amendment_number: z.int().nullable(),
  superseded_by: z.string().nullable(),
  holdings_count: z.int(),
  value_cents: z
    .string()
    .describe(
      'Of all rows, in the scale that its report uses for it; `quality` says when the scale was corrected',
    ),
  declared_entry_total: z.int().nullable(),
  confidential_omitted: z.boolean().nullable(),
  source_url: z.string(),
  quality: qualityShape,
});

/** Rule 11.5, newest filing first. */
export const fundBody = z.strictObject({
  data: z.strictObject({
    cik: z.string(),
    name: z.string(),
    slug: z.string(),
    manager: z.string().nullable(),
    managers: z.array(manager),
    aum_cents: z.string(),
    reported_value_cents: z.string(),
    latest_quarter: z.string(),
    latest_quarter_end: z.string(),
    holdings_count: z.int(),
    filings: z.array(filing),
  }),
});

export type FundManager = z.input<typeof manager>;
export type FundFiling = z.input<typeof filing>;
