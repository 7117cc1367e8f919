import { describe, expect, test } from 'vitest';
import type { OwnershipRow } from '../../filing/filing.ts';
import type { ManagerObservation } from '../../holders/observation.ts';
import type { IsoDate, QuarterEnd } from '../../ids.ts';
import type { Brief } from '../../wire/brief.ts';
import {
  briefInput,
  corpus,
  form4,
  type InputFields,
  observation,
  QUARTER,
  reportingOwner,
  resolution,
} from '../brief.sample.ts';
import { buildBrief } from '../brief.ts';
import { shortName } from './numbers.ts';

const BEFORE = '2019-09-30' as QuarterEnd;
const open = corpus({ filingWindow: 'open' });
const carried = (fields = {}) => observation({ quarterEnd: BEFORE, ...fields });
const brief = (fields: InputFields): Brief => buildBrief(briefInput(fields));
const managersIn = ({ headline }: Brief): string => headline.slice('HUBS: '.length).split('. ')[0] ?? '';
const insidersIn = ({ headline }: Brief): string => headline.split('. ').at(-1) ?? '';
const change = (previousShares: bigint, currentShares: bigint, fields: Partial<ManagerObservation> = {}) =>
  observation({ previousShares, currentShares, ...fields });

function claimOf({ manifest }: Brief, kind: Brief['manifest']['claims'][number]['kind']) {
  return manifest.claims.find((claim) => claim.kind === kind);
}

describe('the size of a move (rule 8.8)', () => {
  test.each<[string, ManagerObservation[], string]>([
    [
      'one manager by name, with shares and percent',
      [change(679_000_000n, 877_248_000n, { name: 'BERKSHIRE HATHAWAY INC' })],
      'Berkshire Hathaway added 198.2 m shares (+29 %) in 2019Q4; 1 holder up, none down',
    ],
    [
      'two managers by name, what starts and what ends by its shares',
      [change(0n, 30_000n, { name: 'A LLC' }), change(1n, 0n, { name: 'Bee Capital LP' })],
      'A initiated a position of 30,000 shares and Bee Capital exited its position of 1 share in 2019Q4; 1 holder up, 1 down',
    ],
    [
      'more by their net and in percent of what they held',
      [change(1_000n, 2_000n), change(1_000n, 2_000n), change(2_000n, 1_500n)],
      'Managers added a net 1,500 shares (+38 % of those held) in 2019Q4; 2 holders up, 1 down',
    ],
    [
      'all in one direction without the word net',
      [change(1_000n, 900n), change(1_000n, 900n), change(1_000n, 900n)],
      'Managers cut 300 shares (-10 % of those held) in 2019Q4; 3 holders down, none up',
    ],
    [
      'both ways without a balance',
      [change(1_000n, 1_500n), change(1_000n, 1_100n), change(1_000n, 450n)],
      'Managers moved both ways, net +50 shares (+1.7 % of those held) in 2019Q4; 2 holders up, 1 down',
    ],
    [
      'less than 0.5 % of the shares held',
      [change(100_000n, 100_499n), change(0n, 0n)],
      'Holdings hardly changed in 2019Q4 (+0.50 %, net +499 shares); 1 holder up, none down',
    ],
    [
      'shares that changed hands although the net is nothing',
      [change(1_000n, 0n), change(0n, 1_000n), change(100n, 150n), change(100n, 50n)],
      'Managers moved both ways, net 0 shares in 2019Q4; 2 holders up, 2 down',
    ],
    [
      'one that exits what another one initiates',
      [change(1_000n, 0n, { name: 'A' }), change(0n, 1_001n, { name: 'B' })],
      'B initiated a position of 1,001 shares and A exited its position of 1,000 shares in 2019Q4; 1 holder up, 1 down',
    ],
    [
      'exits alone',
      [change(1_000n, 0n), change(2_000n, 0n), change(500n, 0n)],
      '3 managers exited (3,500 shares) in 2019Q4; 3 holders down, none up',
    ],
    [
      'shares and heads that point apart',
      [change(1_000n, 9_000n), change(9_000n, 5_000n), change(1_000n, 900n)],
      'Managers added a net 3,900 shares (+35 % of those held) in 2019Q4, but more managers cut: 1 holder up, 2 down',
    ],
    [
      'doubted changes beside it',
      [change(1_000n, 9_000n, { name: 'A' }), change(1_000n, 900n, { reasons: ['split_suspected'] })],
      'A added 8,000 shares (+800 %) in 2019Q4; 1 holder up, none down, 1 in doubt',
    ],
    ['kept shares', [change(5n, 5n), change(7n, 7n)], 'Managers kept their shares in 2019Q4'],
    ['one that kept its shares', [change(5n, 5n)], '1 manager kept its shares in 2019Q4'],
    [
      'a part that would be written as 0.00 %',
      [change(1_000_000n, 999_999n)],
      'Holdings hardly changed in 2019Q4 (net -1 share); 1 holder down, none up',
    ],
    [
      'doubt that outweighs',
      [change(1n, 9n, { reasons: ['split_suspected'] }), change(1n, 2n)],
      'The direction of managers is in doubt in 2019Q4: 1 uncertain change outweighs the clear ones',
    ],
    [
      'doubt without anything clear (rule 7.5)',
      [1, 2].map(() => change(1n, 9n, { reasons: ['split_suspected'] })),
      'The direction of managers is in doubt in 2019Q4: both changes are uncertain',
    ],
    [
      'a report without share counts, whatever was reported before (rule 2.3)',
      [observation({ comparable: false, reasons: ['shares_equal_value'] })],
      '1 manager holds it in 2019Q4, which cannot be compared with an earlier report',
    ],
    [
      'one manager that moved most of the net',
      [change(0n, 9_000n, { name: 'BIGGER LLC' }), change(1_000n, 900n), change(1_000n, 900n)],
      'Managers added a net 8,800 shares (+440 % of those held) in 2019Q4, most of it by Bigger, but more managers cut: 1 holder up, 2 down',
    ],
    [
      'more than ten times what was held',
      [change(100n, 35_000n, { name: 'A' }), change(100n, 0n, { name: 'B' })],
      'A added 34,900 shares (349 times those held) and B exited its position of 100 shares in 2019Q4; 1 holder up, 1 down',
    ],
    [
      'no earlier report',
      [observation({ comparable: false }), observation({ comparable: false })],
      '2 managers hold it in 2019Q4, and there is no earlier report to compare',
    ],
  ])('%s', (_name, observations, expected) => {
    expect(managersIn(brief({ observations }))).toBe(expected);
  });

  test('a headline is short, whatever the names and numbers', () => {
    const name =
      'A VERY LONG NAME OF A MANAGER THAT NEVER ENDS AND GOES ON FOR A WHILE TRUST COMPANY OF NOWHERE';
    const huge = [change(1n, 999_999_999_999n, { name }), change(999_999_999_999n, 5n, { name })];
    const { headline } = brief({
      corpus: open,
      observations: huge,
      ownershipFilings: [form4({ number: 1 })],
    });
    expect(headline.length).toBeLessThan(300);
    expect(headline).not.toContain('NOWHERE');
  });
});

describe('what insiders did (rule 8.8)', () => {
  const sale = (fields: Partial<OwnershipRow> = {}) => ({
    shares: '100000',
    pricePerShare: '10.00',
    ...fields,
  });
  const purchase = { code: 'P', acquiredDisposed: 'A', shares: '5000', pricePerShare: '20.00' } as const;

  test('where code and mark contradict each other, no trade is denied', () => {
    // As Wurster in Charles Schwab on 2023-03-14 (0001062993-23-006877) and Giacobbe in Howmet (0001104659-23-023941).
    const bought = { code: 'P', acquiredDisposed: 'D', shares: '5000', pricePerShare: '57.2793' } as const;
    const sold = { code: 'S', acquiredDisposed: 'A', shares: '111209', pricePerShare: '43.0729' } as const;
    const of = (rows: (typeof bought | typeof sold)[]) => form4({ number: 1, rows });
    const words = (...ownershipFilings: ReturnType<typeof form4>[]) =>
      insidersIn(brief({ ownershipFilings }));
    expect(words(of([bought]))).toBe('1 insider trade cannot be used: code and mark contradict each other.');
    expect(words(of([bought, sold]))).toContain('2 insider trades cannot be used');
    const amended = form4({
      number: 2,
      isAmendment: true,
      filed: '2020-03-05',
      rows: [{ ...sold, shares: '111200' }],
    });
    expect(words(of([sold]), amended)).toContain('1 insider trade cannot be used');
    const joint = form4({ number: 3, owners: [reportingOwner(1), reportingOwner(2)], rows: [sold] });
    expect(words(of([sold]), joint)).toContain('1 insider trade cannot be used');
    const apart = form4({ number: 4, owners: [reportingOwner(3)], rows: [sold] });
    expect(words(of([sold]), apart)).toContain('2 insider trades cannot be used');
  });

  test('names one person, and counts people, not tranches', () => {
    const tranches = form4({ number: 1, rows: [sale(), sale({ transactionDate: '2020-03-03' as IsoDate })] });
    expect(insidersIn(brief({ ownershipFilings: [tranches] }))).toBe(
      'In 180 days Owner 1 (director) sold $2.0 m.',
    );
    const other = form4({
      number: 2,
      owners: [reportingOwner(2)],
      rows: [sale({ sharesOwnedAfter: '7' })],
    });
    expect(insidersIn(brief({ ownershipFilings: [tranches, other] }))).toBe(
      'In 180 days 2 insiders sold $3.0 m.',
    );
  });

  test('tells who one person is, and what part of its holding it sold', () => {
    const officer = { ...reportingOwner(1), isOfficer: true, officerTitle: 'Chief Executive Officer' };
    const ownership = 'direct' as const;
    const sales = form4({
      number: 1,
      owners: [officer],
      rows: [
        sale({ shares: '10', sharesOwnedAfter: '60', ownership }),
        sale({ shares: '30', sharesOwnedAfter: '70', ownership }),
      ],
    });
    expect(insidersIn(brief({ ownershipFilings: [sales] }))).toBe(
      'In 180 days Owner 1 (CEO) sold $400, 40 % of the shares held directly.',
    );
    const long = { ...officer, officerTitle: 'Executive Vice President of Everything Else' };
    expect(insidersIn(brief({ ownershipFilings: [{ ...sales, owners: [long] }] }))).toMatch(
      /\(officer\) sold/,
    );
  });

  test('tells what part of the sales was under plans', () => {
    const planned = form4({ number: 1, is10b51: true, rows: [sale()] });
    const free = form4({ number: 2, owners: [reportingOwner(2)], rows: [purchase] });
    expect(insidersIn(brief({ ownershipFilings: [planned, free] }))).toBe(
      'In 180 days Owner 2 (director) bought $100,000 and Owner 1 (director) sold $1.0 m, 99 % of the shares held directly, all of it under 10b5-1 plans.',
    );
    const more = form4({ number: 3, rows: [sale({ shares: '50000' })] });
    expect(insidersIn(brief({ ownershipFilings: [planned, more] }))).toBe(
      'In 180 days Owner 1 (director) sold $1.5 m, $1.0 m of it under 10b5-1 plans.',
    );
  });

  test('names the first of joint filers with the number of the others', () => {
    const owners = [1, 2, 3].map((number) => reportingOwner(number));
    const joint = form4({ number: 1, owners, rows: [purchase] });
    expect(insidersIn(brief({ ownershipFilings: [joint] }))).toBe(
      'In 180 days the joint filers Owner 1 (director) and 2 others together bought $100,000.',
    );
  });

  test('plans have another part of the sales than taxes and exercises', () => {
    const exercise = { code: 'M', acquiredDisposed: 'A', shares: '100000', pricePerShare: '1.00' } as const;
    const exercised = form4({ number: 1, rows: [exercise, sale()] });
    const planned = form4({
      number: 2,
      is10b51: true,
      owners: [reportingOwner(2)],
      rows: [sale({ shares: '50000' })],
    });
    expect(insidersIn(brief({ ownershipFilings: [exercised, planned] }))).toBe(
      'In 180 days 2 insiders sold $1.5 m, $1.0 m of it for taxes or after exercises and another $500,000 under 10b5-1 plans.',
    );
  });

  test('says what was read, and that a price is unknown', () => {
    expect(insidersIn(brief({}))).toBe('No open-market insider trade in the Form 4 filings read.');
    const unpriced = form4({ number: 1, rows: [sale({ pricePerShare: null })] });
    expect(insidersIn(brief({ ownershipFilings: [unpriced] }))).toBe(
      'In 180 days Owner 1 (director) sold shares at no known price, 99 % of the shares held directly.',
    );
    expect(insidersIn(brief({ resolution: resolution({ issuerCik: null }) }))).toBe(
      'Insider trades are not covered.',
    );
  });
});

test.each([
  ['BERKSHIRE HATHAWAY INC', 'Berkshire Hathaway'],
  ['T. ROWE PRICE ASSOCIATES INC /MD/', 'T. Rowe Price Associates'],
  ['D. E. SHAW & CO., INC.', 'D. E. Shaw & Co.'],
  ['GAMCO INVESTORS, INC. ET AL', 'Gamco Investors'],
  ['HSBC HOLDINGS PLC', 'HSBC Holdings'],
  ['HSBC CAPITAL MGMT & SVCS HLDGS LLC', 'HSBC Capital Mgmt & Svcs Hldgs'],
  ['FMR LLC', 'FMR'],
  ['BlackRock Inc.', 'BlackRock'],
  ['INC', 'INC'],
  ['Trustees of the Very Long Foundation for Science and Arts', 'Trustees of the Very Long Foundation…'],
  ['First Bank of the Long and Winding River & Valley', 'First Bank of the Long and Winding…'],
])('%s is %s in a sentence', (filed, expected) => {
  expect(shortName(filed)).toBe(expected);
});

describe('the quarter that the headline and the claims name (rule 8.8)', () => {
  test('is the latest one when all compared reports are for it', () => {
    const built = brief({ observations: [observation(), observation({ previousShares: 2_000n })] });
    expect(managersIn(built)).toEqual(expect.stringContaining(' (+100 %) in 2019Q4; '));
    expect(claimOf(built, 'institutional_stance')).toMatchObject({
      subject: { latest_reported_quarter_end: QUARTER },
      values: { added: 1, periods_observed: [{ quarter_end: QUARTER, managers: 2 }] },
    });
  });

  test('is never the latest one when all reports are carried forward from the quarter before', () => {
    const built = brief({ corpus: open, observations: [carried(), carried()] });
    expect(managersIn(built)).toEqual(expect.stringContaining(' (+100 %) in 2019Q3; '));
    for (const kind of ['institutional_stance', 'corroboration'] as const) {
      expect(claimOf(built, kind)).toMatchObject({
        subject: { latest_reported_quarter_end: QUARTER },
        values: { periods_compared: [{ quarter_end: BEFORE, managers: 2 }] },
      });
    }
  });

  test('is both when only some reports are carried forward', () => {
    const built = brief({ corpus: open, observations: [observation(), carried(), carried()] });
    expect(managersIn(built)).toContain(' in 2019Q4 (2 managers still at 2019Q3); ');
    expect(claimOf(built, 'institutional_stance')?.values['periods_observed']).toEqual([
      { quarter_end: QUARTER, managers: 1 },
      { quarter_end: BEFORE, managers: 2 },
    ]);
  });

  test('is that of the comparable reports when the others are baselines', () => {
    const kept = carried({ currentShares: 1_000n });
    const built = brief({ corpus: open, observations: [observation({ comparable: false }), kept] });
    expect(managersIn(built)).toBe('1 manager kept its shares in 2019Q3');
    expect(claimOf(built, 'institutional_stance')?.values).toMatchObject({
      periods_observed: [
        { quarter_end: QUARTER, managers: 1 },
        { quarter_end: BEFORE, managers: 1 },
      ],
      periods_compared: [{ quarter_end: BEFORE, managers: 1 }],
    });
    expect(claimOf(built, 'corroboration')?.values['periods_compared']).toEqual([
      { quarter_end: BEFORE, managers: 1 },
    ]);
  });

  test('makes another claim from the same numbers in another quarter', () => {
    const { accessions } = observation();
    const ids = [QUARTER, BEFORE].map((quarterEnd) => {
      const same = observation({ quarterEnd, accessions });
      return claimOf(brief({ corpus: open, observations: [same] }), 'institutional_stance')?.claim_id;
    });
    expect(new Set(ids).size).toBe(2);
  });
});

describe('when no position was searched or none can be used', () => {
  test('without a CUSIP the brief does not say that no manager reported a position', () => {
    const built = brief({
      resolution: resolution({ cusip: null }),
      ownershipFilings: [form4({ number: 1 })],
    });
    expect(built.headline).toBe(
      'HUBS: 13F positions cannot be matched. In 180 days Owner 1 (director) sold $1,000, 10 % of the shares held directly.',
    );
    expect(built.manifest.claims.map(({ kind }) => kind)).toEqual(['insider_stance']);
  });

  test('without any report the brief says so', () => {
    const built = brief({ corpus: corpus({ latestReportedQuarterEnd: null }) });
    expect(managersIn(built)).toBe('No 13F report is stored');
  });

  test('observations that are all excluded are unusable, not absent', () => {
    const built = brief({ observations: [observation({ reasons: ['amount_negative'] })] });
    expect(managersIn(built)).toBe('Tracked managers reported no usable position in 2019Q4');
  });

  test('with a CUSIP and reports, no observation means no shares, and says nothing of options', () => {
    const options = [{ ...change(0n, 5_000n), putCall: 'PUT' as const }];
    const built = brief({ options });
    expect(managersIn(built)).toBe('No tracked manager reported shares in 2019Q4');
    expect(built.coverage.limitations.join()).toContain('puts +5,000 shares');
  });
});
