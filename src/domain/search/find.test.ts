import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { fundEntry, holdingEntry, search } from './entry.sample.ts';
import type { SearchEntry } from './entry.ts';
import { cleanMatchOf, misspeltMatch, queryOf, scoreOf, targetOf } from './rank.ts';

const WORDS =
  'apple aple appel apples alpha alfa capital trust inc corp national nationall one bank bancorp ab the'.split(
    ' ',
  );
const name = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));

const entries = fc
  .array(
    fc.record({
      name,
      isFund: fc.boolean(),
      size: fc.nat(9),
      ticker: fc.constantFrom(null, 'AB', 'APPLE', 'ONE.A'),
    }),
    {
      maxLength: 60,
    },
  )
  .map((specs) =>
    specs.map((spec, at): SearchEntry => {
      const id = String(at).padStart(10, '0');
      return spec.isFund
        ? fundEntry(spec.name, 10 ** spec.size, id)
        : holdingEntry(spec.name, { holders: spec.size, cusip: id.slice(1), ticker: spec.ticker });
    }),
  );

it('finds exactly the best of all entries in one order, though it does not judge all', () => {
  fc.assert(
    fc.property(
      entries,
      name,
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(null, 'fund' as const, 'holding' as const),
      (all, text, limit, type) => {
        const hits = search(all, text, { type, limit }).map(({ entry }) => entry.id);
        expect(hits).toEqual(allMatches(all, text, type).slice(0, limit));
      },
    ),
    { numRuns: 500 },
  );
});

it('a ticker like the first word of a query is no beginning of it', () => {
  const capital = holdingEntry('Capital Apple', { holders: 9, cusip: '000000001', ticker: 'APPLE' });
  const apples = holdingEntry('Apples', { cusip: '000000002' });
  const [first] = search([capital, apples], 'apple ab', { type: null, limit: 1 });
  expect(first?.entry).toEqual(apples);
});

it('a smaller limit cuts the same list', () => {
  fc.assert(
    fc.property(entries, name, (all, text) => {
      const most = search(all, text, { type: null, limit: 50 }).map(({ entry }) => entry.id);
      const few = search(all, text, { type: null, limit: 5 }).map(({ entry }) => entry.id);
      expect(few).toEqual(most.slice(0, 5));
    }),
    { numRuns: 200 },
  );
});

it('any text is answered', { tags: ['property'] }, () => {
  const all = [fundEntry('Apple One', 5), holdingEntry('Alpha', { ticker: 'AB' })];
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (text) => {
      expect(search(all, text).length).toBeLessThanOrEqual(2);
    }),
    { numRuns: runs(1_000) },
  );
});

/** Every entry judged, none skipped. */
function allMatches(all: readonly SearchEntry[], text: string, type: SearchEntry['type'] | null): string[] {
  const query = queryOf(text);
  return all
    .filter((entry) => type === null || entry.type === type)
    .flatMap((entry) => {
      const target = targetOf(entry);
      const match = cleanMatchOf(query, target) ?? misspeltMatch(query, target);
      return match === null ? [] : [{ entry, score: scoreOf(match, entry.weight) }];
    })
    .sort((a, b) => b.score - a.score || (order(a.entry) < order(b.entry) ? -1 : 1))
    .map(({ entry }) => entry.id);
}

const order = ({ type, id }: SearchEntry): string => `${type}:${id}`;
