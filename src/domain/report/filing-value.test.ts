import { expect, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import { filingAsReported } from './filing-value.ts';

const NOW = '2023-11-14' as IsoDate;
const THEN = '2022-11-14' as IsoDate;
const of = (reasons: Reason[], scaleCents: bigint, role: 'base' | 'superseded' = 'base') => ({
  filing: { scaleCents, role },
  report: { reasons },
});

test('a filing has the scale that its report applied, with the reason (rule 4.3)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of(['value_unit_thousands_after_2023'], 100_000n))).toEqual({
    valueCents: 5_000_000n,
    reasons: ['value_unit_thousands_after_2023'],
  });
  const early = { filedDate: THEN, valueCents: 5_000_000n, reasons: ['text_table'] as const };
  expect(filingAsReported(early, of(['value_unit_dollars_before_2023'], 100n))).toEqual({
    valueCents: 5_000n,
    reasons: ['text_table', 'value_unit_dollars_before_2023'],
  });
});

test('a doubt about the scale comes from the report, not from the filing alone (rule 4.3)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of([], 100n))).toEqual({ valueCents: 5_000n, reasons: [] });
  expect(filingAsReported({ ...alone, reasons: [] }, of(['value_unit_unverified'], 100n)).reasons).toEqual([
    'value_unit_unverified',
  ]);
});

test('a doubt about the scale of a supplement is its own, for any base (rule 2.10)', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: [] };
  const added = (scaleReasons: Reason[], reasons: Reason[]) =>
    filingAsReported(alone, {
      filing: { scaleCents: 100n, role: 'supplement', ...(scaleReasons.length > 0 && { scaleReasons }) },
      report: { reasons },
    }).reasons;
  expect(added(['value_unit_unverified'], [])).toEqual(['value_unit_unverified']);
  expect(added([], ['value_unit_unverified'])).toEqual([]);
});

test('a filing that contributes nothing to its report keeps the scale of its date', () => {
  const alone = { filedDate: NOW, valueCents: 5_000n, reasons: ['value_unit_unverified'] as const };
  expect(filingAsReported(alone, of([], 100n, 'superseded'))).toEqual({
    valueCents: 5_000n,
    reasons: ['value_unit_unverified'],
  });
});
