import { describe, expect, test } from 'vitest';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import { briefInput, cikOf, form4, reportingOwner, resolution } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import type { BriefInput } from './input.ts';
import { type InsiderLeg, insiderLeg } from './insider-leg.ts';
import { verifyBrief } from './verify.ts';

const leg = (filings: BriefInput['ownershipFilings'], fields: Partial<BriefInput> = {}): InsiderLeg =>
  insiderLeg(briefInput({ ownershipFilings: filings, ...fields }), true);
const on = (date: string) => ({ transactionDate: date as IsoDate });

describe('the window', () => {
  test('includes both ends and nothing outside (rule 6.4)', () => {
    const days = ['2019-10-02', '2019-10-03', '2020-03-31', '2020-04-01'].map(on);
    const { trades } = leg([form4({ number: 1, filed: '2020-03-31', periodOfReport: null, rows: days })]);
    const dates = trades.map(({ row }) => row.transactionDate);
    // The last is after its own filing: implausible, so the filing date places it.
    expect(dates.sort()).toEqual(['2019-10-03', '2020-03-31', '2020-04-01']);
  });

  test('uses the transaction date: a late filing is included, an old trade is not (rule 6.4)', () => {
    expect(leg([form4({ number: 1, filed: '2020-03-30', rows: [on('2019-10-01')] })]).trades).toEqual([]);
    expect(leg([form4({ number: 1, filed: '2020-03-30', rows: [on('2019-10-04')] })]).trades).toHaveLength(1);
  });

  test('another issuer does not count (rule 6.10)', () => {
    const foreign = form4({ number: 1, issuer: { cik: cikOf(77), name: 'Other', symbol: 'HUBS' } });
    expect(leg([foreign]).trades).toEqual([]);
  });
});

describe('counts', () => {
  test('owner groups are merged per side wherever forms share an owner (rule 6.6)', () => {
    const sells = [
      form4({ number: 1, owners: [reportingOwner(1), reportingOwner(2)] }),
      form4({ number: 2, owners: [reportingOwner(2), reportingOwner(3)], rows: [{ shares: '5' }] }),
      form4({ number: 3, owners: [reportingOwner(4)], rows: [{ shares: '7' }] }),
    ];
    const buy = form4({ number: 4, owners: [reportingOwner(1)], rows: [{ code: 'P', pricePerShare: null }] });
    expect(leg([...sells, buy]).counts).toEqual({
      buys: 1,
      sells: 3,
      distinct_buyers: 1,
      distinct_sellers: 2,
      priced: 3,
      unpriced: 1,
    });
  });

  test('a trade whose code and mark contradict each other is not none (rule 6.2)', () => {
    // Giacobbe in Howmet on 2023-02-16 (0001104659-23-023941), an amount of 4.8 m dollars.
    const sold = { code: 'S', acquiredDisposed: 'A', shares: '111209', pricePerShare: '43.0729' } as const;
    const ownershipFilings = [form4({ number: 1, rows: [sold] })];
    const { insiders, outcome } = buildBrief(briefInput({ ownershipFilings }));
    expect([insiders.stance, insiders.counts.sells, outcome]).toEqual(['not_available', 0, 'uncertain']);
    expect(leg([...ownershipFilings, form4({ number: 2 })]).stance).toBe('net_selling');
    const swap = form4({ number: 3, rows: [{ ...sold, equitySwap: true }] });
    expect(leg([swap]).stance).toBe('none_found');
  });

  test('the stance weighs trades by priced value, in cents (rule 7.4)', () => {
    const buy = (shares: string) =>
      form4({ number: 2, owners: [reportingOwner(2)], rows: [{ code: 'P', shares }] });
    const sell = form4({ number: 1 });
    expect(leg([sell]).stance).toBe('net_selling');
    expect(leg([sell, buy('100')]).stance).toBe('mixed');
    expect(leg([sell, buy('149.9')]).stance).toBe('mixed');
    expect(leg([sell, buy('150')]).stance).toBe('net_buying');
    expect(leg([]).stance).toBe('none_found');
    expect(insiderLeg(briefInput({ ownershipFilings: [sell] }), false).stance).toBe('not_available');
  });
});

describe('issuers whose insiders file no Form 4 (rule 6.13)', () => {
  const sanofi = { resolution: resolution({ name: 'SANOFI-ADR' }) };
  const owner = { ...reportingOwner(1), isDirector: false };
  const isHeldByTen = { ...owner, isTenPercentOwner: true };
  const award = { code: 'A', acquiredDisposed: 'A' } as const;

  test('are not available where no trade was filed, and the brief says why', () => {
    const none = leg([], sanofi);
    expect([none.stance, none.stanceDiscretionary]).toEqual(['not_available', 'not_available']);
    const brief = buildBrief(briefInput(sanofi));
    expect(brief.insiders.stance).toBe('not_available');
    expect(brief.headline).toContain('Its name suggests that its insiders did not have to file Form 4.');
    const fund = buildBrief(briefInput({ resolution: resolution({ name: 'SPDR S&P 500 ETF TR' }) }));
    expect(fund.headline).toContain('Insiders of exchange-traded funds file no Form 4.');
    const unmatched = buildBrief(
      briefInput({ resolution: resolution({ name: 'VANGUARD S&P 500 ETF', issuerCik: null }) }),
    );
    expect(unmatched.headline).toContain('Insiders of exchange-traded funds file no Form 4.');
    expect(brief.coverage.limitations.join(' ')).toContain(
      'did not have to file Form 4 before 2026-03-18, and its name suggests that the issuer is one ("SANOFI-ADR" in fails_to_deliver:2019-12-31)',
    );
    expect(brief.coverage.limitation_codes).toContainEqual({ code: 'insiders_exempt', scope: 'ticker' });
  });

  test('file like others where an officer or a director did, whatever the form reports', () => {
    const filed = form4({ number: 1, rows: [award] });
    expect(leg([filed], sanofi)).toMatchObject({ exempt: null, stance: 'none_found' });
    const later = form4({ number: 1, filed: '2020-04-01', rows: [award] });
    expect(leg([later], sanofi).stance).toBe('not_available');
  });

  test('a trade of a 10 % owner counts, and its other forms show nothing', () => {
    expect(leg([form4({ number: 1, owners: [isHeldByTen] })], sanofi).stance).toBe('net_selling');
    const awarded = form4({ number: 1, owners: [isHeldByTen], rows: [award] });
    expect(leg([awarded], sanofi).stance).toBe('not_available');
  });
});

describe('share classes', () => {
  const classA = resolution({
    ticker: 'LEN' as Ticker,
    siblings: ['LEN.B' as Ticker],
    shareClass: 'A',
    siblingClasses: ['B'],
  });
  const noClass = resolution({
    ticker: 'VIA' as Ticker,
    siblings: ['VIAB' as Ticker],
    siblingClasses: ['B'],
  });
  const alone = resolution();
  const partnership = resolution({ name: 'ENERGY TRANSFER L.P.' });
  const company = resolution({ name: 'MACQUARIE INFRASTRUCTURE COMPANY LLC' });
  const siblings = resolution({
    name: 'BROOKFIELD PARTNERS LP',
    siblings: ['BBUC' as Ticker],
  });
  const tracking = { ticker: 'FWONA' as Ticker, siblings: ['BATRA' as Ticker, 'FWONK' as Ticker] };
  const formulaOne = resolution(tracking);
  const lettered = resolution({ ...tracking, shareClass: 'A', siblingClasses: ['A', 'C'] });
  const DEPOSITARY = 'Depositary Shares, each representing 1/1,000th interest in a Series G Preference Share';
  const braves = 'Liberty Braves Series A Common Stock';

  test.each([
    ['own class in the title', classA, 'Class A Common Stock', 'LEN', []],
    ['the other class in the title', classA, 'Class B Common Stock', 'LEN', ['other_share_class']],
    ['no class, the symbol is the ticker', classA, 'Common Stock', 'len', []],
    ['no class, the symbol is the sibling', classA, 'Common Stock', 'LEN/B', ['other_share_class']],
    ['no class, a list of symbols', classA, 'Common Stock', 'LEN, LEN.B', ['share_class_unresolved']],
    ['no class, no symbol', classA, 'Common Stock', 'N/A', ['share_class_unresolved']],
    ['own class unknown, a sibling has it', noClass, 'Class B Common Stock', 'VIA', ['other_share_class']],
    ['own class unknown, no sibling has it', noClass, 'Class A Common Stock', 'VIA', []],
    ['an unlisted class next to a sibling', noClass, 'Class C Common', 'VIA', ['share_class_unresolved']],
    [
      'a letter that no class has, a symbol of a sibling',
      noClass,
      'Class C Common',
      'VIAB',
      ['other_share_class'],
    ],
    ['own class unknown, no symbol', noClass, 'Class A Common Stock', 'NONE', ['share_class_unresolved']],
    ['a letter that no listed class has', formulaOne, braves, 'BATRA', ['other_share_class']],
    ['a letter that a sibling has too', lettered, braves, 'BATRA', ['other_share_class']],
    ['a shared letter and the own symbol', lettered, 'Series A Common Stock', 'FWONA', []],
    ['own class in the title under the main symbol', classA, 'Class A Common Stock', 'LEN.B', []],
    ['common units of a partnership', alone, 'Common Units representing Interests', 'HUBS', []],
    ['a single listed class', alone, 'Class A Common Stock', 'HUBS', []],
    ['an unlisted class', alone, 'Class B Common Stock', 'HUBS', ['share_class_unresolved']],
    ['no class at all', alone, 'Common Stock, $.01 par value', 'NONE', []],
    ['preferred', alone, 'Series B Preferred Stock', 'HUBS', ['other_share_class']],
    ['preference shares', alone, '5.45% Preference Shares, Series F', 'HUBS', ['other_share_class']],
    ['shares that stand for preference shares', alone, DEPOSITARY, 'HUBS', ['other_share_class']],
    ['preferreds', alone, 'Trust Preferreds', 'HUBS', ['other_share_class']],
    ['capital securities', alone, '8% Capital Securities', 'HUBS', ['other_share_class']],
    ['units of a partnership', partnership, 'Units', 'ET', []],
    ['units at length', partnership, 'Limited Partnership Units', 'ET', []],
    ['units of one of its kinds', partnership, 'AB Holding Units', 'ET', ['share_class_unresolved']],
    ['preferred units', partnership, 'Series A Preferred Units', 'ET', ['other_share_class']],
    ['units where siblings are listed', siblings, 'Units', 'BBU', ['other_share_class']],
    ['units of a share and a warrant', alone, 'Units', 'HUBS', ['other_share_class']],
    ['a loan', alone, 'Term Loan', 'HUBS', ['other_share_class']],
    ['a debt', alone, 'Subordinated Debt', 'HUBS', ['other_share_class']],
    ['a phantom', alone, 'Phantom Stock', 'HUBS', ['other_share_class']],
    ['interests of a subsidiary', alone, 'Class A LLC Interests', 'HUBS', ['share_class_unresolved']],
    ['interests that are the shares', company, 'LLC Interests', 'MIC', []],
    ['shares of interest', alone, 'Shares of Beneficial Interest', 'HUBS', []],
    ['common shares that are interests', alone, 'Common Shares of LLC Interest', 'HUBS', []],
    ['ordinary shares', alone, 'Common Shares (2330.TW)', 'HUBS', ['share_class_unresolved']],
    ['another exchange', alone, 'Common Shares (TSX: HUB)', 'HUBS', ['share_class_unresolved']],
    ['its own symbol', alone, 'American Depositary Shares (NYSE: HUBS)', 'HUBS', []],
    ['words in brackets', alone, 'Common Stock (401K) (ESPP) (Jt. Ten.)', 'HUBS', []],
    ['the symbol of a sibling', formulaOne, 'Common (BATRA)', 'FWONA', ['other_share_class']],
    ['a note', alone, 'Convertible Notes due 2026', 'HUBS', ['other_share_class']],
  ] as const)('%s (rule 6.9)', (_name, security, securityTitle, symbol, reasons) => {
    const issuer = { cik: form4({ number: 1 }).issuer.cik, name: 'X', symbol };
    const result = leg([form4({ number: 1, issuer, rows: [{ securityTitle }] })], { resolution: security });
    expect(result.considered.map((trade) => trade.reasons)).toEqual([reasons]);
    expect(result.trades).toHaveLength(reasons[0] === 'other_share_class' ? 0 : 1);
  });
});

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

const noted = (number: number, footnotes: Ownership['footnotes'], rows = 1) =>
  form4({
    number,
    footnotes,
    rows: Array.from({ length: rows }, () => ({
      // Equal trades of one owner would be one.
      shares: `${number}00`,
      footnoteIds: { transactionPricePerShare: footnotes.map(({ id }) => id) },
    })),
  });

const transactionsOf = (...ownershipFilings: Ownership[]) =>
  buildBrief(briefInput({ ownershipFilings })).insiders.transactions;

test('a footnote that tranches or forms repeat stands once, and the others say where (rule 8.6)', () => {
  const [first, second, other] = transactionsOf(
    noted(2, [{ id: 'F1', text: 'Sold under a plan.' }], 2),
    noted(1, [{ id: 'F7', text: 'Sold under a plan.' }]),
  );
  const qualifies = ['price_per_share'];
  expect(first?.footnotes).toEqual([{ id: 'F1', text: 'Sold under a plan.', qualifies }]);
  const same_as = { transaction_id: first?.transaction_id, id: 'F1' };
  expect(second?.footnotes).toEqual([{ id: 'F1', text: null, same_as, qualifies }]);
  expect(other?.footnotes).toEqual([{ id: 'F7', text: null, same_as, qualifies }]);
});

test('long footnotes are left out beyond 8,000 bytes, and the brief still verifies', () => {
  const texts = Array.from({ length: 30 }, (_, n) => ({ id: `F${n}`, text: `${n} ${'é'.repeat(500)}` }));
  const brief = buildBrief(briefInput({ ownershipFilings: [noted(1, texts)] }));
  const [transaction] = brief.insiders.transactions;
  expect(transaction?.footnotes.filter(({ text }) => text !== null)).toHaveLength(7);
  expect(transaction?.footnotes).toHaveLength(30);
  expect(verifyBrief(brief)).toEqual({ ok: true, problems: [] });
});
