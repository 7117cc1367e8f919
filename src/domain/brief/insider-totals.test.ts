import { describe, expect, test } from 'vitest';
import type { OwnershipRow } from '../filing/filing.ts';
import { briefInput, form4, reportingOwner } from './brief.sample.ts';
import { type InsiderLeg, insiderLeg } from './insider-leg.ts';

let serial = 0;

/** A form of its own owner. Without other values: 100 shares at 10 dollars. */
function traded(rows: readonly Partial<OwnershipRow>[], fields: Parameters<typeof form4>[0] | object = {}) {
  serial += 1;
  return form4({ number: serial, owners: [reportingOwner(serial)], rows, ...fields });
}

const legOf = (...forms: readonly ReturnType<typeof traded>[]): InsiderLeg =>
  insiderLeg(briefInput({ ownershipFilings: forms }), true);

const bought = (fields: Partial<OwnershipRow> = {}) => traded([{ code: 'P', ...fields }]);
const sold = (fields: Partial<OwnershipRow> = {}) => traded([fields]);
const planned = traded([{ shares: '500' }], { is10b51: true });
const exercised = traded([{ code: 'M', acquiredDisposed: 'A', shares: '700' }, { shares: '700' }]);

describe('totals in dollars (rule 6.11)', () => {
  test('are sums by side and kind, and the discretionary net is purchases minus sales', () => {
    expect(legOf(bought({ shares: '30.5' }), sold(), planned, exercised).totals).toEqual({
      buy_value_usd: 305,
      sell_value_usd: 13_000,
      plan_sell_value_usd: 5_000,
      tax_or_exercise_sell_value_usd: 7_000,
      discretionary_net_usd: -695,
    });
  });

  test('are 0 without trades, and null where no trade has a known price', () => {
    expect(Object.values(legOf().totals)).toEqual([0, 0, 0, 0, 0]);
    expect(legOf(bought({ pricePerShare: null }), sold()).totals).toMatchObject({
      buy_value_usd: null,
      sell_value_usd: 1_000,
      discretionary_net_usd: -1_000,
    });
  });
});

describe('the discretionary stance (rule 6.11)', () => {
  test('plan sales do not hide free purchases', () => {
    const leg = legOf(bought(), planned);
    expect([leg.stance, leg.stanceDiscretionary]).toEqual(['net_selling', 'net_buying']);
  });

  test('is none_found where no trade is discretionary', () => {
    const leg = legOf(planned, exercised);
    expect([leg.stance, leg.stanceDiscretionary]).toEqual(['net_selling', 'none_found']);
  });
});

describe('trades without a known dollar price (rule 7.4)', () => {
  const free = { pricePerShare: '0' };
  const unpriced = { pricePerShare: null };

  test('a purchase at a price of 0 counts as unpriced and decides nothing', () => {
    const alone = legOf(bought(free));
    expect([alone.stance, alone.counts.buys, alone.counts.unpriced]).toEqual(['none_found', 1, 1]);
    expect(legOf(bought(free), sold()).stance).toBe('net_selling');
    expect(legOf(bought(free), sold(unpriced)).stance).toBe('net_selling');
  });

  test('decide where all of their side are such and the other side is empty', () => {
    expect(legOf(bought(unpriced)).stance).toBe('net_buying');
    expect(legOf(bought(unpriced), sold()).stance).toBe('net_selling');
    expect(legOf(bought(unpriced), sold(unpriced)).stance).toBe('mixed');
  });
});
