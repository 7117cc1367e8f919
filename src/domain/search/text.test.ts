import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { coreOf, requiredOf, wordsOf } from './text.ts';

it.each([
  ['Société Générale', 'SOCIETE GENERALE'],
  ['AT&T Inc.', 'ATT INC'],
  ["O'Reilly Automotive", 'OREILLY AUTOMOTIVE'],
  ['O’Reilly', 'O`Reilly'],
  ['S&P Global', 'S & P GLOBAL'],
  ['J.P. Morgan', 'JP MORGAN'],
  ['J P MORGAN', 'j.p. morgan'],
  ['U.S. Bancorp', 'US BANCORP'],
  ['Johnson & Johnson', 'JOHNSON AND JOHNSON'],
  ['Marsh&McLennan', 'Marsh McLennan'],
  ['ＡＰＰＬＥ', 'Apple'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'straße'],
  ['Mærsk Ørsted', 'maersk orsted'],
  ['Coca-Cola', 'coca cola'],
])('%s and %s are the same words', (one, other) => {
  expect(wordsOf(one)).toEqual(wordsOf(other));
});

it('a text without letters and digits has no words', () => {
  expect(wordsOf('.*'.repeat(32))).toEqual([]);
  expect(wordsOf(' & – ')).toEqual([]);
});

it('words are only letters and digits, and folding twice changes nothing', { tags: ['property'] }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (text) => {
      const words = wordsOf(text);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
      expect(wordsOf(words.join(' '))).toEqual(words);
      expect(wordsOf(text.toLowerCase().toUpperCase())).toEqual(wordsOf(text.toUpperCase()));
    }),
    { numRuns: runs(2_000) },
  );
});

it('weak words at the end of a name are left out, the first word and those inside stay', () => {
  const core = (name: string): string => coreOf(wordsOf(name)).join(' ');
  expect(core('Greenlight Capital, Inc.')).toBe('greenlight');
  expect(core('CAPITAL ONE FINL CORP')).toBe('capital one finl');
  expect(core('THE WALT DISNEY CO')).toBe('walt disney');
  expect(core('TRUST CO')).toBe('trust');
  expect(core('Group Holdings LLC')).toBe('group');
});

it('a query requires its strong words, and its weak ones only if it has no others', () => {
  expect(requiredOf(wordsOf('capital one capital'))).toEqual(['one']);
  expect(requiredOf(wordsOf('capital group'))).toEqual(['capital', 'group']);
});
