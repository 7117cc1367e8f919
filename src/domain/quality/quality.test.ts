import { expect, it } from 'vitest';
import { diffOf } from '../change/report.sample.ts';
import { APPLE, GOOGL, SPY, sampleRow } from '../filing/filing.sample.ts';
import { qualityOf, reportQualityOf } from './quality.ts';

it('the strongest effect decides, and reasons are unique and sorted', () => {
  expect(qualityOf(['price_zero', 'split_suspected', 'price_zero'])).toEqual({
    status: 'uncertain',
    reasons: ['price_zero', 'split_suspected'],
  });
  expect(qualityOf([])).toEqual({ status: 'clear', reasons: [] });
});

it('one bad row makes a report uncertain and not excluded', () => {
  expect(reportQualityOf(['cusip_malformed'])).toEqual({ status: 'uncertain', reasons: ['cusip_malformed'] });
  expect(reportQualityOf(['amount_fractional']).status).toBe('clear');
  expect(reportQualityOf(['supplement_without_base', 'cusip_malformed']).status).toBe('excluded');
});

it('a wrong check digit and a negative row mark the report, but no other row (rule 5.8)', () => {
  const rows = [
    sampleRow(),
    sampleRow({ cusip: GOOGL, reasons: ['cusip_checksum_failed'] }),
    sampleRow({ cusip: SPY, amount: -5n, reasons: ['amount_negative'] }),
  ];
  const { report, reasons, changes } = diffOf(rows, rows);
  expect(reportQualityOf(report.reasons)).toEqual({
    status: 'uncertain',
    reasons: ['amount_negative', 'cusip_checksum_failed'],
  });
  expect(reasons).toEqual([]);
  expect(changes.map(({ cusip, reasons: own }) => [cusip, own])).toEqual([
    [GOOGL, ['cusip_checksum_failed']],
    [APPLE, []],
    [SPY, ['amount_negative']],
  ]);
});
