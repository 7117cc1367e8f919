import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { corporateActionsOf, holding, moved, type SampleHolding, stock } from './peers.sample.ts';

const AMC_OLD = '00165C104' as Cusip;
const AMC_NEW = '00165C302' as Cusip;
const SATELLOGIC_OLD = 'G7823S101' as Cusip;
const SATELLOGIC_NEW = '80401C100' as Cusip;
const KEPT = stock(9);

type Carried = {
  readonly shares?: readonly [bigint, bigint];
  readonly from?: number;
  readonly issuer?: string;
  readonly price?: bigint;
};
const carry = (
  count: number,
  [old, now]: readonly [Cusip, Cusip],
  { shares = [1_000n, 1_000n], from = 1, issuer = 'SATELLOGIC INC', price = 799n }: Carried = {},
): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => from + at).flatMap((by) => [
    ...moved(by, KEPT, [700n, 700n]),
    holding(by, old, { side: 'prior', amount: shares[0], issuer: 'SATELLOGIC INC', price: 440n }),
    holding(by, now, { side: 'current', amount: shares[1], issuer, price }),
  ]);
const leave = (count: number, old: Cusip, from: number): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => from + at).flatMap((by) => [
    ...moved(by, KEPT, [700n, 700n]),
    ...moved(by, old, [1_000n, 0n]),
  ]);
const changesOf = (holdings: readonly SampleHolding[]) =>
  corporateActionsOf(holdings).filter(({ kind }) => kind !== 'refuted' && kind !== 'mass_entry');

const ONE_FOR_TEN = { shares: [105_005n, 10_500n] as const };
const AMC = [AMC_OLD, AMC_NEW] as const;
const SATELLOGIC = [SATELLOGIC_OLD, SATELLOGIC_NEW] as const;

it('a reverse split under a new CUSIP of the issuer links the old one to it, as with AMC in 2023 (rule 4.8)', () => {
  const factor = { numerator: 1n, denominator: 10n };
  // The price is no evidence: it is far from ten times the old one.
  expect(changesOf([...carry(5, AMC, ONE_FOR_TEN), ...leave(1, AMC_OLD, 6)])).toEqual([
    { kind: 'cusip_change', cusip: AMC_NEW, from: AMC_OLD, factor, votes: 5, compared: 6 },
  ]);
});

it('a change of domicile links CUSIPs of two prefixes by holders, as with Satellogic (rule 4.8)', () => {
  const factor = { numerator: 1n, denominator: 1n };
  expect(changesOf(carry(5, SATELLOGIC, { issuer: 'Satellogic Inc. Class A' }))).toEqual([
    { kind: 'cusip_change', cusip: SATELLOGIC_NEW, from: SATELLOGIC_OLD, factor, votes: 5, compared: 5 },
  ]);
});

it('a new name and prefix are linked by the holders alone, as with Torchmark in 2019 (rule 4.8)', () => {
  const renamed = carry(6, SATELLOGIC, { issuer: 'GLOBE LIFE INC' });
  expect(changesOf(renamed)).toMatchObject([{ kind: 'cusip_change', votes: 6 }]);
});

it('holders of a merged company that got six tenths of a share for each hold another company (rule 4.8)', () => {
  const merged = carry(6, SATELLOGIC, { shares: [1_000n, 600n], price: 733n });
  expect(changesOf(merged)).toMatchObject([{ kind: 'mass_exit', cusip: SATELLOGIC_OLD }]);
});

it('of two arrivals at the same counts, the name decides (rule 4.8)', () => {
  const other = '90000C108' as Cusip;
  const both = [1, 2, 3, 4, 5].flatMap((by) =>
    holding(by, other, { amount: 1_000n, price: 500n, issuer: 'OTHER' }),
  );
  expect(changesOf([...carry(5, SATELLOGIC), ...both])).toMatchObject([
    { kind: 'cusip_change', cusip: SATELLOGIC_NEW },
  ]);
});

it('a renamed company is the successor, and not the one that it spun off, as with Kraft in 2012 (rule 4.8)', () => {
  const kraft = '50075N104' as Cusip;
  const holders = [1, 2, 3, 4, 5].flatMap((by) => [
    ...moved(by, KEPT, [700n, 700n]),
    holding(by, kraft, { side: 'prior', amount: 3_000n, issuer: 'KRAFT FOODS INC' }),
    holding(by, '50076Q106' as Cusip, { amount: 1_000n, issuer: 'KRAFT FOODS GROUP INC' }),
  ]);
  const mondelez = [1, 2, 3, 4, 5].map((by) =>
    holding(by, '609207105' as Cusip, { amount: 3_000n, issuer: 'MONDELEZ INTL INC' }),
  );
  expect(changesOf([...holders, ...mondelez])).toMatchObject([
    { kind: 'cusip_change', from: kraft, cusip: '609207105' },
  ]);
});

it('of two new CUSIPs of the issuer, the shares are the successor and not the warrants (rule 4.8)', () => {
  const [units, warrants, shares] = ['G1234U203', 'G1234U104', 'G1234U112'] as [Cusip, Cusip, Cusip];
  const halves = [1, 2, 3, 4, 5].map((by) => holding(by, warrants, { amount: 500n }));
  expect(changesOf([...carry(5, [units, shares]), ...halves])).toMatchObject([
    { kind: 'cusip_change', from: units, cusip: shares },
  ]);
});

it('four holders that went over prove nothing (rule 4.8)', () => {
  expect(changesOf(carry(4, AMC, ONE_FOR_TEN))).toEqual([]);
});

it('holders that went over at several ratios did not carry a position over (rule 4.8)', () => {
  const ratios: (readonly [bigint, bigint])[] = [
    [1_000n, 137n],
    [1_000n, 223n],
    [1_000n, 871n],
    [1_000n, 643n],
  ];
  expect(changesOf(ratios.flatMap((shares, at) => carry(1, AMC, { shares, from: at + 1 })))).toEqual([]);
});

it('three fifths of the holders must go over (rule 4.8)', () => {
  expect(changesOf([...carry(6, AMC, ONE_FOR_TEN), ...leave(4, AMC_OLD, 7)])).toMatchObject([
    { kind: 'cusip_change' },
  ]);
  expect(changesOf([...carry(6, AMC, ONE_FOR_TEN), ...leave(5, AMC_OLD, 7)])).toMatchObject([
    { kind: 'mass_exit' },
  ]);
});

it('a CUSIP that was held before is not new (rule 4.8)', () => {
  const held = Array.from({ length: 5 }, (_, at) => moved(at + 10, AMC_NEW, [10n, 10n])).flat();
  expect(changesOf([...carry(5, AMC, ONE_FOR_TEN), ...held])).toMatchObject([{ kind: 'mass_exit' }]);
});

it('a manager that reported only one of the quarters does not make a CUSIP new (rule 4.8)', () => {
  const held = Array.from({ length: 5 }, (_, at) => moved(at + 10, AMC_NEW, [10n, 10n])).flat();
  const fresh = [20, 21, 22].map((by) => holding(by, AMC_NEW));
  expect(changesOf([...carry(5, AMC, ONE_FOR_TEN), ...held, ...fresh])).toMatchObject([
    { kind: 'mass_exit' },
  ]);
});

it('of two old CUSIPs only the one of the most holders becomes the new one (rule 4.8)', () => {
  const units = '00165C203' as Cusip;
  const both = [...carry(6, AMC, ONE_FOR_TEN), ...carry(5, [units, AMC_NEW], { ...ONE_FOR_TEN, from: 7 })];
  expect(changesOf(both)).toMatchObject([{ kind: 'mass_exit' }, { from: AMC_OLD, cusip: AMC_NEW, votes: 6 }]);
});

it('a fund of the same family at another price is another fund, even if most holders go over (rule 4.8)', () => {
  const kinds = (price: bigint) => changesOf(carry(6, AMC, { price })).map(({ kind }) => kind);
  expect([kinds(870n), kinds(221n)]).toEqual([['cusip_change'], ['cusip_change']]);
  expect([kinds(890n), kinds(219n)]).toEqual([['mass_exit'], ['mass_exit']]);
});

it('missing prices do not prevent a CUSIP change (rule 4.8)', () => {
  expect(changesOf(carry(5, AMC, { price: 0n }))).toMatchObject([{ kind: 'cusip_change' }]);
});

const OTHER_ISSUER = '99165C302' as Cusip;
/** One holder for each amount; each had 1,200 shares of the old CUSIP. */
const carryAt = (amounts: readonly bigint[], now = AMC_NEW): SampleHolding[] =>
  amounts.flatMap((amount, at) => [
    ...moved(at + 1, KEPT, [700n, 700n]),
    holding(at + 1, AMC_OLD, { side: 'prior', amount: 1_200n, price: 1_000n }),
    holding(at + 1, now, { side: 'current', amount, price: 12_000n }),
  ]);
const keep = (count: number, from: number): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => from + at).flatMap((by) => [
    ...moved(by, KEPT, [700n, 700n]),
    ...moved(by, AMC_OLD, [1_200n, 1_200n]),
  ]);
const actionsOf = (holdings: readonly SampleHolding[]) =>
  corporateActionsOf(holdings).filter(({ cusip }) => cusip !== KEPT);

const TRADED = [120n, 830n, 420n, 90n, 240n, 1_351n, 47n];

it('holders that went over to a sister CUSIP at no agreed ratio neither sold nor bought (rule 4.8)', () => {
  expect(actionsOf([...carryAt(TRADED), ...keep(2, 20)])).toEqual([
    { kind: 'mass_exit', cusip: AMC_OLD, votes: 7, compared: 9 },
    { kind: 'mass_entry', cusip: AMC_NEW, votes: 7, compared: 7 },
  ]);
});

it('a linked change is reported once and as nothing else (rule 4.8)', () => {
  expect(actionsOf(carryAt([120n, 131n, 112n, 101n, 120n, 77n]))).toMatchObject([{ kind: 'cusip_change' }]);
});

it('holders that went over to another issuer sold the one and bought the other (rule 4.8)', () => {
  expect(actionsOf([...carryAt(TRADED, OTHER_ISSUER), ...keep(2, 20)]).map(({ kind }) => kind)).not.toContain(
    'mass_exit',
  );
});
