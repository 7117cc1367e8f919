import { describe, expect, test } from 'vitest';
import type { Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { fails } from '../security/mapping.sample.ts';
import { cusipAtQuarter, type DatedChange, isSettledAt } from './security-at-quarter.ts';

const [OLD, NEW, THIRD] = ['00165C104', '00165C302', '00165C401'] as [Cusip, Cusip, Cusip];
const QUARTER = '2023-09-30' as QuarterEnd;

const changed = (from: Cusip, cusip: Cusip, quarterEnd: string = QUARTER): DatedChange => ({
  quarterEnd: quarterEnd as QuarterEnd,
  change: {
    kind: 'cusip_change',
    cusip,
    from,
    factor: { numerator: 1n, denominator: 10n },
    votes: 8,
    compared: 8,
  },
});

const at = (
  cusip: Cusip,
  mappings: ReturnType<typeof fails>[],
  { asOf = '2023-11-30', changes = [] as DatedChange[] } = {},
) => cusipAtQuarter({ cusip, mappings, asOf: asOf as IsoDate }, QUARTER, changes);

const seen = (cusip: Cusip, from: string, to = from, name = 'AMC ENTERTAINMENT') =>
  fails('AMC', cusip, { on: to, from, to, name });

describe('the CUSIP of a ticker at the quarter judged', () => {
  test('is the new one when its holders carried it over, though the sources still name the old one (rule 3.9)', () => {
    expect(at(OLD, [seen(OLD, '2023-08-01')])).toBe(OLD);
    expect(at(OLD, [seen(OLD, '2023-08-01')], { changes: [changed(OLD, NEW)] })).toBe(NEW);
  });

  test('is the old one when the ticker got its new CUSIP after the quarter (rule 3.9)', () => {
    const mappings = [seen(OLD, '2023-06-01', '2023-10-12'), seen(NEW, '2023-10-13', '2023-11-20')];
    expect(at(NEW, mappings)).toBe(OLD);
    expect(at(NEW, [seen(NEW, '2023-10-13')])).toBe(NEW);
  });

  test('is never that of another company which had the ticker before (rule 3.9)', () => {
    const stranger = fails('AMC', '030111207', { on: '2023-06-01', name: 'AMERICAN SUPERCONDUCTOR' });
    expect(at(NEW, [stranger, seen(NEW, '2023-10-13')])).toBe(NEW);
  });

  test('is what the sources name on both sides of the quarter end, whatever the filers imply', () => {
    const mappings = [seen(OLD, '2023-09-01', '2023-10-12')];
    const history = { cusip: OLD, mappings, asOf: '2023-11-30' as IsoDate };
    expect(isSettledAt(history, QUARTER)).toBe(true);
    expect(at(OLD, mappings, { changes: [changed(OLD, NEW)] })).toBe(OLD);
    // What was seen only after the as-of date settles nothing.
    expect(isSettledAt({ ...history, asOf: QUARTER }, QUARTER)).toBe(false);
  });

  test('follows the changes of several quarters in order, and none of a later quarter', () => {
    const mappings = [seen(OLD, '2023-01-03')];
    const later = changed(NEW, THIRD);
    const earlier = changed(OLD, NEW, '2023-06-30');
    expect(at(OLD, mappings, { changes: [later, earlier] })).toBe(THIRD);
    expect(at(OLD, mappings, { changes: [changed(OLD, NEW, '2023-12-31')] })).toBe(OLD);
  });

  test('follows changes of one quarter to their end in any order, even in a circle (rule 3.9)', () => {
    const mappings = [seen(OLD, '2023-01-03')];
    const changes = [changed(OLD, NEW), changed(NEW, THIRD)];
    expect(at(OLD, mappings, { changes })).toBe(THIRD);
    expect(at(OLD, mappings, { changes: changes.toReversed() })).toBe(THIRD);
    expect(at(OLD, mappings, { changes: [changed(OLD, NEW), changed(NEW, OLD)] })).toBe(NEW);
  });
});
