import { expect, it } from 'vitest';
import { qualityOf, REASONS, type Reason, reportQualityOf } from './quality.ts';

it('the strongest effect wins, and reasons are unique and sorted', () => {
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

it('every reason has a sentence that a person understands', () => {
  for (const reason of Object.keys(REASONS) as Reason[]) {
    expect(REASONS[reason].description).toMatch(/^[A-Z].*\.$/);
  }
});
