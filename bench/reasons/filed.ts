import { sampleFiling, sampleManager, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow, ThirteenF } from '../../src/domain/filing/filing.ts';
import { type Cik, type Cusip, type QuarterEnd, requireCik } from '../../src/domain/ids.ts';
import type { Reason } from '../../src/domain/quality/quality.ts';
import { chanceOf } from '../market/chance.ts';
import { quarterEndsOf } from '../market/market.ts';
import type { Cause, Held, plantedMarket } from './planted.ts';

/** What a manager filed for both quarters, and what is true of it. */
export type Filer = {
  readonly cik: Cik;
  readonly prior: readonly ThirteenF[];
  readonly current: readonly ThirteenF[];
  readonly causes: ReadonlyMap<Cusip, Cause>;
  readonly traded: Held['traded'];
  /** The reason that its later report must carry. */
  readonly reportReason: Reason | null;
};

/** Two quarters of some managers, and what was planted in the later one. */
export type Run = {
  readonly quarterEnd: QuarterEnd;
  readonly filers: Iterable<Filer>;
  readonly isSplit: (cusip: Cusip) => boolean;
  readonly isRenamed: (cusip: Cusip) => boolean;
};

/** Every so many filers make one mistake; the number modulo it says which. */
const EVERY = 200;
const QUARTERS = quarterEndsOf(2);
/** Below, a mistake would be the whole report. */
export const MIN_FAULTY_ROWS = 40;
const LOST_ROWS = 3;
const OUTLIER = 100;

type Rows = readonly InfoTableRow[];
type Fault = {
  readonly reason: Reason;
  readonly rows?: (rows: Rows) => Rows;
  /** What is filed after the report, or instead of it. */
  readonly filings?: (report: ThirteenF) => readonly ThirteenF[];
  /** Which changes become wrong by it; all of them where none is named. */
  readonly cause?: Cause;
  readonly cusips?: (rows: Rows) => readonly Cusip[];
};

export const FAULTS: Readonly<Record<number, Fault>> = {
  3: {
    reason: 'value_unit_thousands_after_2023',
    rows: (rows) => rows.map((row) => ({ ...row, value: row.value / 1_000n })),
  },
  13: {
    reason: 'implied_price_outlier',
    rows: (rows) => rows.map((row, at) => (at === 0 ? { ...row, value: row.value * BigInt(OUTLIER) } : row)),
  },
  23: {
    reason: 'cusip_checksum_failed',
    rows: (rows) => rows.map((row, at) => (at % 40 === 1 ? mistyped(row) : row)),
    cause: 'mistyped CUSIP',
    cusips: (rows) => rows.flatMap(({ cusip }, at) => (at % 40 === 1 && cusip ? [cusip] : [])),
  },
  33: {
    reason: 'doubled_table_suspected',
    rows: (rows) => [...rows, ...rows].map((row, at) => ({ ...row, row: at + 1 })),
    cause: 'doubled table',
  },
  43: {
    reason: 'partial_restatement_suspected',
    filings: (report) => [report, amendmentOf(report, 'restatement', report.rows.slice(0, 2))],
  },
  53: {
    reason: 'unrelated_restatement_suspected',
    filings: (report) => [
      { ...report, rows: report.rows.slice(6) },
      amendmentOf(report, 'restatement', report.rows.slice(0, 6)),
    ],
  },
  63: {
    reason: 'repeated_new_holdings_suspected',
    filings: (report) => [report, amendmentOf(report, 'new_holdings', report.rows)],
  },
  73: {
    reason: 'confidential_omitted',
    rows: (rows) => rows.filter((_, at) => at % 20 !== 1),
    filings: (report) => [{ ...report, confidentialOmitted: true }],
    cause: 'confidential',
    cusips: (rows) => rows.flatMap(({ cusip }, at) => (at % 20 === 1 && cusip ? [cusip] : [])),
  },
  103: {
    reason: 'shares_equal_value',
    rows: (rows) => rows.map((row) => ({ ...row, amount: row.value })),
  },
  113: {
    reason: 'entry_total_mismatch',
    rows: (rows) => rows.slice(LOST_ROWS),
    filings: (report) => [{ ...report, declaredEntryTotal: report.rows.length + LOST_ROWS }],
    cause: 'rows lost',
    cusips: (rows) => rows.slice(0, LOST_ROWS).flatMap(({ cusip }) => cusip ?? []),
  },
};
/** The reasons of all mistakes. */
export const PLANTED: readonly Reason[] = [
  ...Object.values(FAULTS).map(({ reason }) => reason),
  'identical_positions',
  'reported_elsewhere',
];
const [PARENT, CHILD, TWIN, OTHER_TWIN] = [83, 84, 93, 94];

type Planted = ReturnType<typeof plantedMarket>;

export function filerOf(filer: number, planted: Planted): Filer {
  const place = filer % EVERY;
  const held = planted.heldBy(place === OTHER_TWIN ? filer - (OTHER_TWIN - TWIN) : filer);
  const report = reportOf(filer, { quarter: 1, held: held.current }, planted);
  const filed = {
    cik: cikOf(filer),
    prior: [reportOf(filer, { quarter: 0, held: held.prior }, planted)],
    current: [report],
    ...{ causes: held.causes, traded: held.traded, reportReason: null },
  };
  if (place === TWIN || place === OTHER_TWIN) return { ...filed, reportReason: 'identical_positions' };
  if (place === CHILD) {
    const notice = { ...report, reportType: 'notice', rows: [], reportedBy: [named(filer - 1)] } as const;
    return { ...filed, current: [notice], causes: new Map(), reportReason: 'reported_elsewhere' };
  }
  if (place === PARENT) return takingIn(filed, { filer, held }, planted);
  const fault = FAULTS[place];
  return fault === undefined || report.rows.length < MIN_FAULTY_ROWS ? filed : faulty(filed, report, fault);
}

type Report = { readonly quarter: 0 | 1; readonly held: ReadonlyMap<Cusip, bigint> };

function reportOf(filer: number, { quarter, held }: Report, planted: Planted): ThirteenF {
  const cik = cikOf(filer);
  return sampleFiling({
    ...{ cik, managerName: `MANAGER ${filer}`, rows: rowsOf(held, quarter, planted) },
    ...{
      quarterEnd: QUARTERS[quarter] as QuarterEnd,
      filedDate: ['2023-08-14', '2023-11-14'][quarter] as string,
    },
    accession: `${cik}-23-00000${quarter + 1}`,
  });
}

/** The parent's report has what the child held. */
function takingIn(filed: Filer, { filer, held }: { filer: number; held: Held }, planted: Planted): Filer {
  const child = planted.heldBy(filer + 1).prior;
  const all = new Map(held.current);
  for (const [cusip, shares] of child) all.set(cusip, shares + (all.get(cusip) ?? 0n));
  const taken = [...child.keys()].map((cusip) => [cusip, 'subsidiary taken in'] as const);
  const report = { ...reportOf(filer, { quarter: 1, held: all }, planted), includes: [named(filer + 1)] };
  return { ...filed, current: [report], causes: new Map([...filed.causes, ...taken]) };
}

export function faulty(filed: Filer, report: ThirteenF, fault: Fault): Filer {
  const { rows = same, filings = (one: ThirteenF) => [one], cusips = everyCusip, cause, reason } = fault;
  const concerned = cause === undefined ? [] : cusips(report.rows).map((cusip) => [cusip, cause] as const);
  const current = filings({ ...report, rows: rows(report.rows) });
  return { ...filed, current, causes: new Map([...filed.causes, ...concerned]), reportReason: reason };
}

const same = (rows: Rows): Rows => rows;
const cikOf = (filer: number): Cik => requireCik(String(9_700_000_000 + filer));
const named = (filer: number) => sampleManager({ cik: cikOf(filer) });
const everyCusip = (rows: Rows): Cusip[] => rows.flatMap(({ cusip }) => cusip ?? []);

function rowsOf(held: ReadonlyMap<Cusip, bigint>, quarter: 0 | 1, { priceOf }: Planted): InfoTableRow[] {
  return [...held].map(([cusip, amount], at) => {
    // Prices of filers differ a little: some quote a day or a class apart.
    const cents =
      priceOf(cusip, quarter) * (1 + 0.002 * (chanceOf('quote', cusip, String(amount)).next() - 0.5));
    const value = BigInt(Math.max(1, Math.round((Number(amount) * cents) / 100)));
    return sampleRow({
      row: at + 1,
      issuer: `ISSUER ${cusip.slice(0, 6)}`,
      cusip,
      cusipAsFiled: cusip,
      amount,
      value,
    });
  });
}

/** The check digit is wrong by one. */
function mistyped(row: InfoTableRow): InfoTableRow {
  const cusip = `${row.cusipAsFiled.slice(0, 8)}${(Number(row.cusipAsFiled.slice(8)) + 1) % 10}` as Cusip;
  return { ...row, cusip, cusipAsFiled: cusip, reasons: ['cusip_checksum_failed'] };
}

function amendmentOf(
  report: ThirteenF,
  amendmentType: 'restatement' | 'new_holdings',
  rows: Rows,
): ThirteenF {
  const header = {
    ...report.header,
    form: '13F-HR/A',
    accession: `${report.header.accession.slice(0, -1)}${report.header.accession.endsWith('9') ? 8 : 9}`,
  };
  return { ...report, header, rows, isAmendment: true, amendmentNumber: 1, amendmentType } as ThirteenF;
}
