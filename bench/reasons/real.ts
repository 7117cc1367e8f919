import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDigit } from '../../scripts/sandbox/market.ts';
import type { InfoTableRow, ThirteenF } from '../../src/domain/filing/filing.ts';
import { groupBy } from '../../src/domain/group.ts';
import { type Cusip, requireCusip } from '../../src/domain/ids.ts';
import { previousQuarterEnd } from '../../src/domain/quarter.ts';
import { CENTS_PER_DOLLAR, valueScaleCents } from '../../src/domain/report/scale.ts';
import { ParseError, parseFiling } from '../../src/forms/index.ts';
import { FAULTS, type Filer, faulty, MIN_FAULTY_ROWS, type Run } from './filed.ts';
import type { Cause } from './planted.ts';

/** Of so many securities that a manager holds at both ends, one has an action, each kind in its turn. */
const EVERY = 25;
const ACTIONS: readonly (readonly [factor: number, isRenamed: boolean, cause: Cause])[] = [
  [4, false, 'split'],
  [0.1, true, 'split with a new CUSIP'],
  [1, true, 'new CUSIP'],
  [2, false, 'split'],
];

type Real = Run & { readonly filers: readonly Filer[] };

/** For each pair of adjacent quarters of a folder: as it is, and with corporate actions or one mistake planted. */
export function runsOf(dir: string): { readonly asIs: Run; readonly planted: readonly Run[] }[] {
  const quarters = groupBy(filingsIn(dir), ({ quarterEnd }) => quarterEnd);
  return [...quarters].flatMap(([quarterEnd, now]) => {
    const before = groupBy(quarters.get(previousQuarterEnd(quarterEnd)) ?? [], ({ cik }) => cik);
    const filers = [...groupBy(now, ({ cik }) => cik)].flatMap(([cik, current]): Filer[] => {
      const prior = before.get(cik);
      if (prior === undefined) return [];
      return [{ cik, prior, current, causes: new Map(), traded: new Map(), reportReason: null }];
    });
    const asIs = { quarterEnd, filers, isSplit: () => false, isRenamed: () => false };
    return filers.length === 0 ? [] : [{ asIs, planted: [withActions(asIs), ...withFaults(asIs)] }];
  });
}

function filingsIn(dir: string): ThirteenF[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isFile() || !entry.name.endsWith('.txt')) return [];
    try {
      const filing = parseFiling(readFileSync(join(entry.parentPath, entry.name)));
      const isTable = filing.kind === 'thirteen_f' && filing.reportType !== 'notice';
      // Their totals are of what was filed, not of what is planted.
      return isTable ? [{ ...filing, declaredEntryTotal: null, declaredValueTotal: null }] : [];
    } catch (error) {
      if (error instanceof ParseError) return [];
      throw error;
    }
  });
}

/** Each mistake in each report that is one filing, alone. Values in thousands are no mistake before 2023. */
function withFaults(asIs: Real): Run[] {
  return asIs.filers.flatMap((filer, at) => {
    const [report, amendment] = filer.current;
    if (report === undefined || amendment !== undefined || report.rows.length < MIN_FAULTY_ROWS) return [];
    const isInDollars = valueScaleCents(report.header.filedDate) === CENTS_PER_DOLLAR;
    return Object.values(FAULTS)
      .filter(({ reason }) => isInDollars || reason !== 'value_unit_thousands_after_2023')
      .map((fault) => ({ ...asIs, filers: asIs.filers.with(at, faulty(filer, report, fault)) }));
  });
}

function withActions(asIs: Real): Run {
  const kept = asIs.filers.map(({ prior, current }) => {
    const before = sharesIn(prior);
    return new Set([...sharesIn(current)].filter((cusip) => before.has(cusip)));
  });
  const chosen = [...new Set(kept.flatMap((own) => [...own]))].sort().filter((_, at) => at % EVERY === 0);
  const actions = new Map(
    chosen.map((cusip, at) => [cusip, ACTIONS[at % ACTIONS.length] as (typeof ACTIONS)[number]]),
  );
  const moved = (row: InfoTableRow): InfoTableRow => {
    const action = row.amountType === 'SH' && row.cusip !== null ? actions.get(row.cusip) : undefined;
    if (action === undefined || row.cusip === null) return row;
    const [factor, isRenamed] = action;
    const cusip = isRenamed ? renamed(row.cusip) : row.cusip;
    return { ...row, cusip, cusipAsFiled: cusip, amount: BigInt(Math.floor(Number(row.amount) * factor)) };
  };
  const namesOf = (wanted: (action: (typeof ACTIONS)[number]) => boolean) =>
    new Set([...actions].flatMap(([cusip, action]) => (wanted(action) ? [cusip, renamed(cusip)] : [])));
  const [splits, renames] = [namesOf(([factor]) => factor !== 1), namesOf(([, isRenamed]) => isRenamed)];
  return {
    ...asIs,
    isSplit: (cusip) => splits.has(cusip),
    isRenamed: (cusip) => renames.has(cusip),
    filers: asIs.filers.map((filer, at) => ({
      ...filer,
      current: filer.current.map((one) => ({ ...one, rows: one.rows.map(moved) })),
      causes: new Map(
        [...actions].flatMap(([cusip, [, , cause]]) =>
          kept[at]?.has(cusip) ? [[cusip, cause] as const, [renamed(cusip), cause] as const] : [],
        ),
      ),
    })),
  };
}

function sharesIn(filings: readonly ThirteenF[]): Set<Cusip> {
  const rows = filings.flatMap((filing) => filing.rows);
  return new Set(
    rows.flatMap(({ cusip, putCall, amountType }) =>
      cusip && !putCall && amountType === 'SH' ? [cusip] : [],
    ),
  );
}

/** Of the same issuer, under an issue number that hardly any has. */
function renamed(cusip: Cusip): Cusip {
  const base = `${cusip.slice(0, 6)}8Z`;
  return requireCusip(base + checkDigit(base));
}
