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

it("one issuer's only exit and start may be one position, also beside trading (rule 5.4)", () => {
  expect(reasonsOf([at(NEW, 20_000n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(NEW, 20_200n)], [at(OLD, 20_000n)])).toEqual(SUSPECTED);
  expect(reasonsOf([at(NEW, 20_000n, 20_000_000n)], [at(OLD, 200_004n)])).toEqual(SUSPECTED);
  // Arrival, Renaissance 2023-06-30 (0001037389-23-000122): 1 for 50, and most was sold.
  expect(reasonsOf([at(NEW, 28_216n, 73_000n)], [at(OLD, 7_407_766n, 963_000n)])).toEqual(SUSPECTED);
});

it('two classes of an issuer may become one (rule 5.4)', () => {
  expect(reasonsOf([at(NEW, 20_300n)], [at(OLD, 20_000n), at(OTHER, 9_000n)])).toEqual([
    ...SUSPECTED,
    ['cusip_change_suspected'],
  ]);
});

it('round shares of another issuer, or any of an option, are another position (rule 5.4)', () => {
  expect(reasonsOf([renamed(20_000n)], [at(OLD, 20_000n)])).toEqual([[], []]);
  const call = { ...at(NEW, 20_000n), putCall: 'CALL' as const };
  expect(reasonsOf([call], [at(OLD, 20_000n)])).toEqual([[], []]);
});

it('where a third security begins with the word, nothing tells which two are one (rule 5.4)', () => {
  const named = (cusip: string, issuer: string, amount: bigint) => rowOf([cusip, issuer, amount]);
  const before = [named('469814107', 'JACOBS ENGR GROUP INC', 15_770n)];
  const now = [named('46982L108', 'JACOBS SOLUTIONS INC', 17_133n)];
  const third = named('470003108', 'JACOBS FOODS INC', 500n);
  expect(reasonsOf(now, before)).toEqual(SUSPECTED);
  expect(reasonsOf([...now, third], [...before, third]).flat()).toEqual([]);
});

// Renaissance 2023-09-30 (0001037389-23-000124): Liberty Media reclassified its shares.
it('all classes of an issuer may change at once (rule 5.4)', () => {
  const liberty = (digits: string, titleOfClass: string, amount: bigint, value: bigint) =>
    rowOf([`531229${digits}`, 'LIBERTY MEDIA CORP DEL', amount, titleOfClass, value]);
  const before = [
    liberty('854', 'COM SER C FRMLA', 444_979n, 33_498_000n),
    liberty('870', 'COM SER A FRMLA', 257_797n, 17_432_000n),
  ];
  const now = [
    liberty('755', 'COM LBTY ONE S C', 245_251n, 15_279_000n),
    liberty('771', 'COM LBTY ONE S A', 263_597n, 14_904_000n),
  ];
  expect(reasonsOf(now, before)).toEqual([...SUSPECTED, ...SUSPECTED]);
});

it('no title names no second security, nor does one that only says common stock (rule 5.4)', () => {
  const titled = (cusip: Cusip, titleOfClass: string) => ({ ...at(cusip, 20_000n), titleOfClass });
  for (const title of ['', 'CS'])
    expect(reasonsOf([titled(NEW, title)], [titled(OLD, 'COM')])).toEqual(SUSPECTED);
});

it('names that name no issuer do not agree (rule 5.4)', () => {
  const named = (cusip: Cusip, issuer: string) => ({ ...at(cusip, 20_000n), issuer });
  expect(reasonsOf([named(RENAMED, '')], [named(OLD, '')])).toEqual([[], []]);
  expect(reasonsOf([named(RENAMED, 'B')], [named(OLD, 'A')])).toEqual([[], []]);
});

it('many funds of one sponsor, left and started at once, are no pairs (rule 5.4)', () => {
  const funds = (side: string) =>
    Array.from({ length: 1_200 }, (_, nth) =>
      rowOf([
        `46138E${side}${nth.toString(36).padStart(2, '0')}`.toUpperCase(),
        'INVESCO EXCHANGE TRADED FD T',
        1_001n + BigInt(nth),
        `FUND ${side}${nth} ETF`,
      ]),
    );
  expect(reasonsOf(funds('1'), funds('0')).flat()).toEqual([]);
});

type End = readonly [cusip: string, issuer: string, amount: bigint, titleOfClass?: string, value?: bigint];
const rowOf = ([cusip, issuer, amount, titleOfClass = 'COM', value = 1_000_000n]: End) =>
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
    'CIBC: Jacobs under a new name and other digits, bought too',
    ['469814107', 'JACOBS ENGR GROUP INC', 15_770n, 'COM', 2_005_000n],
    ['46982L108', 'JACOBS SOLUTIONS INC', 17_133n, 'COM', 1_859_000n],
    true,
  ],
  [
    'CIBC: Canadian Pacific, beside other companies of the first word (0001172661-23-003039)',
    ['13645T100', 'CANADIAN PAC RY LTD', 8_898_700n, 'COM', 684_577_000n],
    ['13646K108', 'CANADIAN PACIFIC KANSAS CI', 9_450_005n, 'COM', 763_844_000n],
    true,
  ],
  [
    'Soros: BGC (0000902664-23-005529)',
    ['05541T101', 'BGC PARTNERS INC', 2_717_292n, 'CL A', 12_038_000n],
    ['088929104', 'BGC GROUP INC', 2_517_292n, 'CL A', 13_291_000n],
    true,
  ],
  [
    'Scion: two companies of one industry and title (0000905148-23-000689)',
    ['98980L101', 'ZOOM VIDEO COMMUNICATIONS IN', 100_000n, 'CL A', 7_384_000n],
    ['16119P108', 'CHARTER COMMUNICATIONS INC N', 25_000n, 'CL A', 9_184_000n],
    false,
  ],
  [
    'Renaissance: two notes of a bank (0001037389-23-000124)',
    ['063679583', 'BANK MONTREAL MEDIUM', 11_100n, 'CAL LKD 41', 390_000n],
    ['06368L106', 'BANK MONTREAL MEDIUM', 1_700n, 'BIG OIL INDX 3X', 356_000n],
    false,
  ],
  [
    'two banks of a frequent word',
    ['31946M103', 'FIRST CTZNS BANCSHARES INC N', 10_007n],
    ['33616C100', 'FIRST REP BK SAN FRANCISCO', 20_003n],
    false,
  ],
  [
    'two funds of one trust',
    ['464287481', 'ISHARES TR', 20_003n, 'RUS MD CP GR ETF'],
    ['464287556', 'ISHARES TR', 20_003n, 'ISHARES BIOTECH'],
    false,
  ],
  [
    'two funds of a company',
    ['464286400', 'ISHARES INC', 59_800n, 'MSCI BRAZIL ETF'],
    ['464286103', 'ISHARES INC', 144_500n, 'MSCI AUST ETF'],
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
    'New York Mortgage: one for four, and a purchase',
    ['649604501', 'NEW YORK MTG TR INC', 40_633n, 'COM PAR $.02', 104_020n],
    ['649604840', 'NEW YORK MTG TR INC', 14_958n, 'COM', 149_000n],
    true,
  ],
  [
    'DigitalBridge: one for four, and a sale',
    ['25401T108', 'DIGITALBRIDGE GROUP INC', 2_411_208n, 'CL A COM', 11_766_000n],
    ['25401T603', 'DIGITALBRIDGE GROUP INC', 203_501n, 'CL A NEW', 2_546_000n],
    true,
  ],
  [
    'Atlassian: a move to another country, and a sale',
    ['G06242104', 'ATLASSIAN CORP PLC', 86_987n, 'CL A', 18_319_000n],
    ['049468101', 'ATLASSIAN CORPORATION', 55_727n, 'CL A', 7_171_000n],
    true,
  ],
  [
    'Brookfield, whose ticker another company has now',
    ['112585104', 'BROOKFIELD ASSET MGMT INC', 18_066_174n, 'CL A LTD VT SH', 742_158_000n],
    ['11271J107', 'BROOKFIELD CORP', 17_221_347n, 'CL A LTD VT SH', 541_611_000n],
    true,
  ],
  [
    'Dave and another company',
    ['23834J102', 'DAVE INC', 232_400n, 'CLASS A COM', 67_000n],
    ['238337109', 'DAVE & BUSTERS ENTMT INC', 151_300n, 'COM', 5_566_000n],
    false,
  ],
  [
    'Alphabet: two classes',
    ['02079K107', 'ALPHABET INC', 20_003n, 'CAP STK CL C'],
    ['02079K305', 'ALPHABET INC', 18_000n, 'CAP STK CL A'],
    false,
  ],
  [
    'Broadscale: a share and a warrant',
    ['11134Y101', 'BROADSCALE ACQUISITION CORP', 100_000n, 'COM CL A'],
    ['11134Y119', 'BROADSCALE ACQUISITION CORP', 381_709n, '*W EXP 02/02/202'],
    false,
  ],
  [
    'JPMorgan: a note of the bank',
    ['46625H100', 'JPMORGAN CHASE & CO', 3_201_486n, 'COM', 334_555_000n],
    ['46625H365', 'JPMORGAN CHASE & CO', 51_200n, 'ALERIAN ML ETN', 1_114_000n],
    false,
  ],
  [
    'Secoo: a tenth',
    ['81367P101', 'SECOO HLDG LTD', 145_900n],
    ['81367P200', 'SECOO HLDG LTD', 14_590n],
    true,
  ],
])('%s (rule 5.4)', (_, exit, start, isSuspected) => {
  const suspected = isSuspected ? [['cusip_change_suspected'], ['cusip_change_suspected']] : [[], []];
  expect(reasonsOf([rowOf(start)], [rowOf(exit)])).toEqual(suspected);
});

it('names that agree in a word are one issuer only where no other security has their title (rule 5.4)', () => {
  const exit = rowOf(['112585104', 'BROOKFIELD ASSET MGMT INC', 18_066_174n, 'CL A LTD VT SH']);
  const start = rowOf(['11271J107', 'BROOKFIELD CORP', 17_221_347n, 'CL A LTD VT SH']);
  const kept = rowOf(['G16258108', 'BROOKFIELD RENEWABLE PARTNER', 3_895_330n, 'CL A LTD VT SH']);
  expect(reasonsOf([start, kept], [exit, kept])).toEqual([[], [], []]);
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
