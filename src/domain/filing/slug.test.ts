import { expect, it } from 'vitest';
import type { Cik } from '../ids.ts';
import { kebabSlug, slugOf } from './slug.ts';

const cik = (text: string): Cik => text as Cik;

it('a name becomes lower-case words joined by dashes', () => {
  expect(kebabSlug('BERKSHIRE HATHAWAY INC')).toBe('berkshire-hathaway-inc');
  expect(kebabSlug('T. Rowe Price & Co., L.P. /MD/')).toBe('t-rowe-price-and-co-lp-md');
  expect(kebabSlug("Société d'Épargne")).toBe('societe-depargne');
});

it('a taken or empty slug gets a suffix that depends on the manager alone', () => {
  const taken = (slug: string): boolean => slug === 'acme-lp';
  expect(slugOf('ACME LP', cik('0000000040'), () => false)).toBe('acme-lp');
  expect(slugOf('ACME LP', cik('0000000040'), taken)).toBe('acme-lp-14');
  expect(slugOf('ACME L.P.', cik('0000000041'), taken)).toBe('acme-lp-15');
  expect(slugOf('///', cik('0000000041'), taken)).toBe('fund-15');
});
