import { z } from 'zod';
import {
  cik,
  count,
  day,
  evidenceId,
  period,
  publishedAt,
  quality,
  reason,
  wholeNumber,
} from './brief-values.ts';
import { transactionShape } from './transaction.ts';

export const changeShape = z.strictObject({
  fund: z.strictObject({ name: z.string(), cik, slug: z.string() }),
  action: z.enum(['initiated', 'added', 'reduced', 'exited']),
  quarter_end: day,
  current_shares: wholeNumber,
  previous_shares: wholeNumber.describe(
    'As reported. Where `restated` is set, restated to the share count of the current report',
  ),
  share_delta: wholeNumber.describe('Signed: current_shares minus previous_shares'),
  pct_delta: z.number().describe('Percent, 4 decimals half-even; initiated 100, exited -100'),
  current_value_usd: z.number().describe('Whole dollars'),
  previous_value_usd: z
    .number()
    .describe(
      'Whole dollars, at the end of the quarter before; without what `taken_in_stated` adds to the shares',
    ),
  weight_pct: z
    .number()
    .describe("Percent of the equity of the manager's report; 0 for a value that does not count"),
  published_at: publishedAt,
  quality,
  evidence_ids: z.array(evidenceId).describe('The report first, then the prior one, with their supplements'),
  amendment: z.strictObject({ is_amendment: z.boolean(), amendment_type: z.string().nullable() }),
  restated: z
    .strictObject({
      factor_numerator: wholeNumber,
      factor_denominator: wholeNumber,
      from_cusip: z.string().nullable().describe('The CUSIP of the prior report, if it differs'),
      reported_previous_shares: wholeNumber.describe('As in the prior report'),
    })
    .nullable()
    .describe(
      'How the previous shares were restated: new shares for each old one, as the holders of the quarter confirm, and shares that another manager reported before (`taken_in_stated`). Null when they are as reported',
    ),
});

const totalsShape = z
  .strictObject({
    net_share_delta: wholeNumber,
    gross_share_delta: wholeNumber,
    shares_now: wholeNumber,
    shares_before: wholeNumber.describe('Restated for splits and new CUSIPs, like previous_shares'),
    net_pct_of_held: z.number().nullable().describe('Net share change in percent of shares_before'),
    net_value_usd: z
      .number()
      .nullable()
      .describe('Net share change in whole dollars, at the value per share that these reports imply'),
    holders_up: count.describe('Managers that initiated or added'),
    holders_down: count.describe('Managers that reduced or exited'),
    median_pct_delta: z
      .number()
      .nullable()
      .describe('Median pct_delta of the managers that held the security at both quarter ends'),
  })
  .describe('Over clear observations with a comparable quarter before, displayed or not');

const optionsShape = z
  .strictObject({
    managers: count.describe('Managers with options on the security at either quarter end'),
    put_underlying_delta: wholeNumber.describe('Signed, in shares of the underlying'),
    call_underlying_delta: wholeNumber.describe('Signed, in shares of the underlying'),
  })
  .describe('Options that 13F reports list, over clear changes like the totals. No other figure counts them');

export const institutionalShape = z.strictObject({
  stance: z.enum(['net_increases', 'net_decreases', 'mixed', 'unchanged', 'none_found', 'not_determined']),
  ranking_basis: z.literal('absolute_reported_share_change'),
  changes: z.array(changeShape).max(8),
  counts: z.strictObject({
    initiated: count,
    added: count,
    reduced: count,
    exited: count,
    unchanged: count,
    baseline_only: count,
  }),
  totals: totalsShape,
  options: optionsShape,
  latest_reported_quarter_end: day.nullable(),
  tracked_managers_observed: count.describe('The sum of the counts'),
  periods_observed: z.array(period),
  stale_manager_observations: count,
});

const insiderStance = z.enum(['net_buying', 'net_selling', 'mixed', 'none_found', 'not_available']);
const dollars = z
  .number()
  .nullable()
  .describe('Dollars and cents of the trades with a known price; 0 without trades, null when none has one');

export const insidersShape = z.strictObject({
  stance: insiderStance,
  stance_discretionary: insiderStance.describe('The same over the trades of the kind discretionary'),
  totals: z.strictObject({
    buy_value_usd: dollars,
    sell_value_usd: dollars,
    plan_sell_value_usd: dollars,
    tax_or_exercise_sell_value_usd: dollars,
    discretionary_net_usd: dollars.describe('Discretionary purchases minus discretionary sales'),
  }),
  window_days: z.int(),
  window_start: day,
  window_end: day,
  transactions: z.array(transactionShape).max(8),
  counts: z.strictObject({
    buys: count,
    sells: count,
    distinct_buyers: count,
    distinct_sellers: count,
    priced: count,
    unpriced: count,
  }),
});

const example = z.strictObject({
  fund: z.strictObject({ name: z.string(), cik }).nullable(),
  quarter_end: day.nullable(),
  detail: z.string(),
  evidence_ids: z.array(evidenceId).max(4),
});

export const artifactsShape = z.strictObject({
  suppresses_direction: z.boolean(),
  uncertain_observations: count,
  example_limit_per_group: z.int(),
  evidence_id_limit_per_example: z.int(),
  groups: z.array(
    z.strictObject({
      reason,
      severity: z.enum(['info', 'warning', 'critical']),
      leg: z.enum(['thirteen_f', 'form4']),
      observation_count: count,
      suppresses_direction: z.boolean(),
      description: z.string(),
      examples: z.array(example).max(1),
    }),
  ),
});

export type Change = z.infer<typeof changeShape>;
export type Institutional = z.infer<typeof institutionalShape>;
export type Insiders = z.infer<typeof insidersShape>;
export type QualityArtifacts = z.infer<typeof artifactsShape>;
