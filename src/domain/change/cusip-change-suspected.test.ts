import { expect, it } from 'vitest';
import { sampleRow } from '../filing/filing.sample.ts';
import type { Cusip } from '../ids.ts';
import { diffOf } from './report.sample.ts';

const [OLD, NEW, OTHER] = ['00165C104', '00165C302', '00165C203'] as [Cusip, Cusip, Cusip];
const RENAMED = '02165C101' as Cusip;
/** At 100 dollars a share unless a value is given. */
const at = (cusip: Cusip, amount: bigint, value = amount * 100n) => sampleRow({ cusip, amount, value });
const renamed = (amount: bigint, value?: bigint) => ({
  ...at(RENAMED, amount, value),
  issuer: 'VOYA FINL INC',
});
const reasonsOf = (now: ReturnType<typeof at>[], before: ReturnType<typeof at>[]) =>
  diffOf(now, before).changes.map(({ reasons }) => reasons);
const SUSPECTED = [['cusip_change_suspected'], ['cusip_change_suspected']];

it('an exit and a start of one issuer with the same shares may be one position (rule 5.4)', () => {
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(NEW, 20_200n)], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('so may one with the shares of a split at about the same value (rule 5.4)', () => {
  expect(reasonsOf([at(NEW, 20_000n, 20_000_000n)], [at(OLD, 200_004n)])).toEqual(SUSPECTED);
  // A tenth of the shares at the same price is a different position.
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 200_004n)])).toEqual([[], []]);
});

it('round shares of another issuer, or any of an option, are another position (rule 5.4)', () => {
  expect(reasonsOf([renamed(20_000n)], [at(OLD, 20_000n)])).toEqual([[], []]);
  const call = { ...at(NEW, 20_000n), putCall: 'CALL' as const };
  expect(reasonsOf([call], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('of several starts of an issuer only one with the same shares may be the position (rule 5.4)', () => {
  const starts = [at(OTHER, 40_000n, 2_000_000n), at(NEW, 20_000n)];
  expect(reasonsOf(starts, [at(OLD, 20_000n)])).toEqual([
    ...SUSPECTED.slice(0, 1),
    [],
    ...SUSPECTED.slice(1),
  ]);
});

type End = readonly [cusip: string, issuer: string, amount: bigint, titleOfClass?: string];
const rowOf = ([cusip, issuer, amount, titleOfClass = 'COM']: End, value: bigint) =>
  sampleRow({ cusip: cusip as Cusip, issuer, amount, titleOfClass, value });

it.each<[string, End, End, boolean]>([
  [
    'Scion: Vital and Coherent',
    ['19247G107', 'COHERENT CORP', 125_000n],
    ['516806205', 'VITAL ENERGY INC', 125_000n],
    false,
  ],
  [
    'Soros: warrants of two companies, at an odd count',
    ['242794113', 'DECARBONIZATION PLUS ACQU', 166_666n],
    ['29280W117', 'ENERGY VAULT HOLDINGS INC', 166_666n],
    true,
  ],
  [
    'two funds of one trust',
    ['464287481', 'ISHARES TR', 20_003n, 'RUS MD CP GR ETF'],
    ['464287556', 'ISHARES TR', 20_003n, 'ISHARES BIOTECH'],
    false,
  ],
  [
    'one fund under two CUSIPs',
    ['464287481', 'ISHARES TR', 20_003n, 'RUS MD CP GR ETF'],
    ['464287556', 'ISHARES TR', 20_003n, 'RUS MD CP GR ETF'],
    true,
  ],
  [
    'HF Sinclair',
    ['436106108', 'HOLLYFRONTIER CORP', 6_579n],
    ['403949100', 'HF SINCLAIR CORPORATION', 6_579n],
    true,
  ],
  [
    'Secoo: a tenth',
    ['81367P101', 'SECOO HLDG LTD', 145_900n],
    ['81367P200', 'SECOO HLDG LTD', 14_590n],
    true,
  ],
])('%s (rule 5.4)', (_, exit, start, isSuspected) => {
  const suspected = isSuspected ? [['cusip_change_suspected'], ['cusip_change_suspected']] : [[], []];
  expect(reasonsOf([rowOf(start, 900_000n)], [rowOf(exit, 1_000_000n)])).toEqual(suspected);
});

it('what peers suspect concerns who left the one and entered the other, options too (rule 5.4)', () => {
  const doubt = { kind: 'cusip_change_suspected', cusip: RENAMED, from: OLD, votes: 6, compared: 7 } as const;
  const reasonsIn = (now: ReturnType<typeof at>[], before: ReturnType<typeof at>[]) =>
    diffOf(now, before, doubt).changes.map(({ reasons }) => reasons);
  expect(reasonsIn([renamed(3_000n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  const put = (row: ReturnType<typeof at>) => ({ ...row, putCall: 'PUT' as const });
  expect(reasonsIn([put(renamed(3_000n))], [put(at(OLD, 20_000n))])).toEqual(SUSPECTED);
  expect(reasonsIn([put(renamed(3_000n))], [at(OLD, 20_000n)])).toEqual([[], []]);
  expect(reasonsIn([], [at(OLD, 20_000n)])).toEqual([[]]);
});

it.each<[string, string, string, string, boolean]>([
  ['New York Mortgage', 'NEW YORK MTG TR INC', 'COM PAR $.02', 'COM', true],
  ['two funds of Kraneshares', 'KRANESHARES TR', 'CSI CHI INTERNET', 'BOSERA MSCI CHIN', false],
  [
    'a share and a warrant of Broadscale',
    'BROADSCALE ACQUISITION CORP',
    'COM CL A',
    '*W EXP 02/02/202',
    false,
  ],
  ['two classes of Eletrobras', 'CENTRAIS ELETRICAS BRASILEIR', 'SPONSORED ADR', 'SPON ADR PFD B', false],
])('titles tell what peers suspect of one issuer (rule 5.4): %s', (_, issuer, before, now, isPair) => {
  const doubt = { kind: 'cusip_change_suspected', cusip: NEW, from: OLD, votes: 1, compared: 1 } as const;
  const row = (cusip: Cusip, titleOfClass: string, amount: bigint) => ({
    ...at(cusip, amount),
    issuer,
    titleOfClass,
  });
  const { changes } = diffOf([row(NEW, now, 14_958n)], [row(OLD, before, 40_633n)], doubt);
  expect(changes.map(({ reasons }) => reasons)).toEqual(isPair ? SUSPECTED : [[], []]);
});
