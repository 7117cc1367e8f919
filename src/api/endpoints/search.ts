import { z } from 'zod';
import { coverageOfDays } from '../../domain/insider/coverage.ts';
import { quarterLabel } from '../../domain/quarter.ts';
import type { Hit } from '../../domain/search/find.ts';
import { MATCHED_ON, queryOf } from '../../domain/search/rank.ts';
import { coveredShape } from '../../domain/wire/limitation.ts';
import { searchMemory } from '../cache/search-memory.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';

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

const SEARCH_TYPES = ['all', 'funds', 'managers', 'holdings'] as const;

const searchBody = z.strictObject({
  data: z.strictObject({
    results: z.array(result),
    query: z.string().describe('`q` without surrounding blanks'),
    type: z.enum(SEARCH_TYPES),
    ...coveredShape,
  }),
});

/** Of `q`, without the blanks around it. */
export const MAX_QUERY_CHARS = 64;
/** The first character, 62 at most, and the last one. */
const QUERY_TEXT = /^\s*\S[\s\S]{0,62}\S\s*$/u;
const ENTRY_TYPE = { all: null, funds: 'fund', managers: 'manager', holdings: 'holding' } as const;

export const search = defineEndpoint({
  name: 'search',
  path: '/search',
  title: 'Search',
  summary: 'Funds, managers and holdings by name, ticker, CIK or CUSIP',
  description:
    'Best matches first, by `score`. A query has at least two characters. Case, accents, punctuation and legal forms do not count, and typing errors in long words are forgiven.',
  details:
    'Ordered by `score`, ties by type and `id`. First comes an exact ticker, CIK (with or without leading zeros) or CUSIP. Then names and tickers that begin with the query, whole names before others. Then names with every word of the query, in any order. Then names with its words and a typing error: one in words of four letters or more, two in words of eight or more. A later tier only fills the places that earlier ones leave. Within a tier the weight decides: the assets of a fund, the holders of a security. A fund without a report of the newest quarter whose filing window is closed weighs a third, and a tenth without one of the quarter before.\n\nWithout case, accents and punctuation `Société` is `SOCIETE`, `at&t` is `AT & T`, `brk-b` is `BRK.B`. Legal forms and words such as `Capital`, `Group` or `Management` after a name match, but never decide. Managers are those that a report includes by name, and the persons known to run a fund. For a ticker of one letter use `/stocks/{ticker}`. The index is seconds behind the pipeline, and up to about a minute when many filings arrive at once.',
  example: { q: 'berkshire', limit: 3 },
  digest: {
    facts: ['query', 'type', 'coverage_status', 'limitations'],
    rows: {
      at: 'results',
      columns: [
        'type',
        'name',
        'ticker',
        'cik',
        'cusip',
        'fund.cik',
        'latest_quarter',
        'latest_quarter_end',
        'matched_on',
      ],
    },
  },
  credits: 1,
  params: {},
  query: {
    q: z
      .string()
      .regex(QUERY_TEXT, `must have 2 to ${MAX_QUERY_CHARS} characters without surrounding blanks`)
      .transform((text) => text.trim())
      .describe(
        `Name, ticker, CIK or CUSIP, or the beginning of a name or ticker; 2 to ${MAX_QUERY_CHARS} characters`,
      ),
    type: z.enum(SEARCH_TYPES).default('all').describe('Kind of results'),
    limit: z.int().min(1).max(50).default(20).describe('Maximum number of results'),
  },
  output: searchBody,
  async handler({ db }, { q, type, limit }) {
    const { hits, published } = await searchMemory(db, queryOf(q), { type: ENTRY_TYPE[type], limit });
    const covered = coverageOfDays(published, { listed: hits.length });
    return { kind: 'body', body: { data: { results: hits.map(resultOf), query: q, type, ...covered } } };
  },
});

function resultOf({ entry, match, score }: Hit): z.input<typeof result> {
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
