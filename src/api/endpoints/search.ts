import { z } from 'zod';
import { queryOf } from '../../domain/search/rank.ts';
import { searchMemory } from '../cache/search-memory.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { resultOf, SEARCH_TYPES, searchBody } from './search-shape.ts';

const QUERY_TEXT = /^\s*\S[\s\S]{0,62}\S\s*$/u;
const ENTRY_TYPE = { all: null, funds: 'fund', managers: 'manager', holdings: 'holding' } as const;

export const search = defineEndpoint({
  name: 'search',
  path: '/search',
  title: 'Search',
  summary: 'Funds, managers and holdings by name, ticker, CIK or CUSIP',
  description:
    'Ordered by `score`, ties by type and `id`. First comes an exact ticker, CIK (with or without leading zeros) or CUSIP. Then names and tickers that begin with the query, whole names before others. Then names with every word of the query, in any order. Then names with its words and a typing error: one in words of four letters or more, two in words of eight or more. A later tier only fills the places that earlier ones leave. Within a tier the weight decides: the assets of a fund, the holders of a security.\n\nCase, accents and punctuation do not count: `Société` is `SOCIETE`, `at&t` is `AT & T`, `brk-b` is `BRK.B`. Legal forms and words such as `Capital`, `Group` or `Management` after a name match, but never decide. Managers are those that a report includes by name, and the persons known to run a fund. A query has at least two characters; for a ticker of one letter use `/stocks/{ticker}`. The index is seconds behind the pipeline, and up to about a minute when many filings arrive at once.',
  example: { q: 'berkshire', limit: 3 },
  credits: 1,
  params: {},
  query: {
    q: z
      .string()
      .regex(QUERY_TEXT, 'must have 2 to 64 characters without surrounding blanks')
      .transform((text) => text.trim())
      .describe('Name, ticker, CIK or CUSIP, or the beginning of a name or ticker; 2 to 64 characters'),
    type: z.enum(SEARCH_TYPES).default('all').describe('Kind of results'),
    limit: z.int().min(1).max(50).default(20).describe('Maximum number of results'),
  },
  output: searchBody,
  async handler({ db }, { q, type, limit }) {
    const hits = await searchMemory(db, queryOf(q), { type: ENTRY_TYPE[type], limit });
    return { kind: 'body', body: { data: { results: hits.map(resultOf), query: q, type } } };
  },
});
