import { z } from 'zod';
import { quarterLabel } from '../../domain/quarter.ts';
import type { Hit } from '../../domain/search/find.ts';
import { MATCHED_ON } from '../../domain/search/rank.ts';

const found = {
  id: z.string().describe('Unique among the results of its type'),
  name: z.string().describe('As filed'),
  score: z
    .number()
    .describe(
      'Orders the results. Whole part: 4 exact identifier, 3 beginning of a name or ticker, 2 every word, 1 similar spelling. Fraction: weight, on one logarithmic scale of assets or holders',
    ),
  matched_on: z
    .enum(MATCHED_ON)
    .describe(
      '`ticker`, `cik`, `cusip`: that identifier (a ticker also by its beginning). `name`: the beginning of the name. `words`: every word, in any order. `spelling`: every word, with typing errors',
    ),
};

const fundResult = z.strictObject({
  type: z.literal('fund'),
  ...found,
  cik: z.string(),
  slug: z.string(),
  aum_cents: z.string(),
  latest_quarter: z.string().describe('The quarter of `aum_cents`, as `2025Q3`'),
});

const managerResult = z.strictObject({
  type: z.literal('manager'),
  ...found,
  fund: z
    .strictObject({ cik: z.string(), name: z.string(), slug: z.string() })
    .describe('The fund whose latest report names this manager, or that this person runs'),
});

const holdingResult = z.strictObject({
  type: z.literal('holding'),
  ...found,
  ticker: z.string().nullable().describe('Null when no source names exactly one'),
  cusip: z.string(),
  issuer: z.string().describe('In the spelling of most reports'),
  holders_count: z
    .int()
    .describe(
      'Managers that hold shares, counted like `totals.holders` of `/stocks/{ticker}`: by the latest quarter; while its filing window is open, managers that have not reported it yet count by the quarter before. A security without holders today has those of `latest_quarter_end`. Options, bonds and excluded rows do not count',
    ),
  latest_quarter_end: z.string().describe('Quarter of the newest report in `holders_count`'),
});

const result = z.discriminatedUnion('type', [fundResult, managerResult, holdingResult]);
export const SEARCH_TYPES = ['all', 'funds', 'managers', 'holdings'] as const;

export const searchBody = z.strictObject({
  data: z.strictObject({
    results: z.array(result),
    query: z.string().describe('`q` without surrounding blanks'),
    type: z.enum(SEARCH_TYPES),
  }),
});

export function resultOf({ entry, match, score }: Hit): z.input<typeof result> {
  const { id, name } = entry;
  const common = { id, name, score, matched_on: match.matchedOn };
  switch (entry.type) {
    case 'fund': {
      const latest_quarter = quarterLabel(entry.latestQuarterEnd);
      return {
        type: 'fund',
        ...common,
        cik: entry.cik,
        slug: entry.slug,
        aum_cents: entry.aumCents,
        latest_quarter,
      };
    }
    case 'manager':
      return { type: 'manager', ...common, fund: { ...entry.fund } };
    case 'holding':
      return {
        type: 'holding',
        ...common,
        ticker: entry.ticker,
        cusip: entry.cusip,
        issuer: name,
        holders_count: entry.holders,
        latest_quarter_end: entry.latestQuarterEnd,
      };
  }
}
