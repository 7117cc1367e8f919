import { z } from 'zod';
import { REASONS, type Reason } from '../../domain/quality/quality.ts';
import { EXAMPLES } from './tally.ts';

const REASON_NAMES = Object.keys(REASONS) as [Reason, ...Reason[]];

const cents = z
  .string()
  .regex(/^-?\d+$/)
  .describe('Cents, a decimal string');
const count = z.int().min(0);
const manager = z.strictObject({ cik: z.string(), name: z.string() });
const report = { manager, quarter_end: z.string() };

const reason = z.strictObject({
  reason: z.enum(REASON_NAMES),
  leg: z.enum(['thirteen_f', 'form4']),
  severity: z.enum(['info', 'warning', 'critical']),
  effect: z.enum(['clear', 'uncertain', 'excluded']).describe('What an observation with it becomes'),
  filings: count.describe('Filings that carry it by themselves, superseded ones too'),
  reports: count.describe('What a manager reports for a quarter, all its filings taken together'),
  observations: count.describe('Equity positions of the quarter looked at, or trades of Form 4'),
  examples: z.array(z.string()).max(EXAMPLES).describe('Accession numbers of the latest filings with it'),
});

const declared = z.strictObject({
  accession_number: z.string(),
  ...report,
  declared_entries: count.nullable(),
  parsed_entries: count,
  declared_value: z.string().nullable().describe('At the scale of the filing, as parsed_value'),
  parsed_value: z.string(),
  value_difference_cents: cents.describe('Parsed less declared, at the scale of the filing date'),
  beyond_rounding: z.boolean().describe('More than one a row at that scale: rounding does not explain it'),
});

const unmapped = z.strictObject({
  cusip: z.string(),
  issuer: z.string().describe('As its largest holder spells it'),
  managers: count,
  value_cents: cents,
});

const coverage = z.strictObject({
  quarter_end: z.string(),
  cusips: count.describe('Held as equity by some manager'),
  mapped_cusips: count,
  positions: count.describe('Equity rows: one for a manager and a security'),
  mapped_positions: count,
  mapped_positions_pct: z.number().nullable(),
  value_cents: cents,
  mapped_value_cents: cents,
  mapped_value_pct: z.number().nullable().describe('4 decimals; null of nothing'),
});

const corporateAction = z.strictObject({
  kind: z.enum([
    'split',
    'split_suspected',
    'cusip_change',
    'cusip_change_suspected',
    'mass_exit',
    'mass_entry',
    'stock_merger',
  ]),
  quarter_end: z.string().describe('The later of the two quarters compared'),
  cusip: z.string(),
  from: z.string().nullable().describe("The CUSIP of before a change, or of a merger's target"),
  factor: z.string().nullable().describe('New shares for old ones, as 4:1'),
  votes: count,
  compared: count,
});

const suspected = z.strictObject({
  cusip: z.string(),
  issuer: z.string(),
  quarter_end: z.string(),
  managers: count.describe('Whose change alone looks like a split'),
  value_cents: cents,
});

const scaled = z.strictObject({
  ...report,
  accession_numbers: z.array(z.string()).describe('Filings that the report is made of'),
  reasons: z.array(z.enum(REASON_NAMES)),
  value_cents: cents.describe('Of all that the report lists, after any correction'),
});

const other = z.strictObject({ ...report, other_cik: z.string().nullable(), value_cents: cents });

const trade = z.strictObject({
  transaction_id: z.string(),
  issuer: z.string(),
  ticker: z.string(),
  code: z.string().nullable(),
  shares: z.string().nullable(),
  price_per_share: z.string().nullable(),
  value_usd: z.number().nullable(),
});

const listed = <T extends z.ZodType>(item: T) =>
  z.strictObject({ total: count, worst: z.array(item).describe('At most --limit of them') });

/** What `tidemark audit --json` prints. Lists are cut to `limit`, totals are of everything. */
export const auditShape = z.strictObject({
  schema_version: z.literal('audit.v2'),
  as_of: z.string().nullable().describe('Null before the first ingestion has finished'),
  scope: z.strictObject({
    quarter_end: z.string().nullable().describe('Only reports of this quarter, and trades placed in it'),
    ticker: z.string().nullable().describe('Only this security and the reports that hold it'),
    positions_of: z.string().nullable().describe('The quarter whose positions were read'),
    limit: count,
  }),
  stored: z.strictObject({
    filings_13f: count,
    filings_form4: count.describe('With at least one transaction row'),
    reports: count,
    positions: count,
    trades: count,
  }),
  reasons: z
    .array(reason)
    .describe('Critical ones first, then by how often; those that nothing carries are left out'),
  critical: z.array(z.enum(REASON_NAMES)).describe('Critical reasons of reports, positions or trades'),
  declared_totals: z.strictObject({
    compared: count.describe('Filings with a table whose summary page declares a total'),
    undeclared: count,
    entries_differ: count,
    values_differ: count,
    values_differ_beyond_rounding: count,
    worst: z.array(declared),
  }),
  mapping_coverage: z
    .array(coverage)
    .describe('What has a ticker, newest quarter first, at most --limit quarters; empty with a ticker'),
  unmapped_cusips: z.strictObject({
    quarter_end: z.string().nullable(),
    cusips: count,
    value_cents: cents,
    mapped_cusips: count,
    mapped_value_cents: cents,
    mapped_value_pct: z.number().nullable().describe('4 decimals; null of nothing'),
    worst: z.array(unmapped).describe('By value'),
  }),
  splits_suspected: listed(suspected),
  corporate_actions: z.strictObject({
    splits: count,
    splits_suspected: count,
    cusip_changes: count,
    cusip_changes_suspected: count,
    mass_exits: count,
    mass_entries: count.describe('Given to the holders of another security'),
    stock_mergers: count.describe('Given for the shares of a target that ceased'),
    worst: z.array(corporateAction).describe('The latest quarter first, then the least certain'),
  }),
  scales: z.strictObject({
    corrected: listed(scaled),
    unverified: listed(scaled),
    shares_equal_value: listed(scaled),
  }),
  identical_positions: listed(other),
  reorganised_managers: listed(other),
  text_tables: z.strictObject({
    filings: count,
    by_confidence: z
      .strictObject({ high: count, medium: count, low: count })
      .describe('High: rows and values add up to what is declared; medium: the values do; low: they do not'),
    worst: z.array(
      z.strictObject({
        accession_number: z.string(),
        ...report,
        confidence: z.enum(['high', 'medium', 'low']),
      }),
    ),
  }),
  quarantined: z.array(
    z.strictObject({
      code: z.string(),
      filings: count,
      examples: z.array(
        z.strictObject({ accession_number: z.string(), form: z.string(), reason: z.string() }),
      ),
    }),
  ),
  unreconciled_amendments: listed(trade),
  implausible_prices: listed(trade),
});

export type Audit = z.infer<typeof auditShape>;
