import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { BOARD_MANAGERS } from './board-managers.ts';
import { failsText } from './fails-text.ts';
import { form4Text } from './form-4-text.ts';
import { FORMS_4 } from './insiders.ts';
import { ALDER, DOGWOOD, ELM, GINKGO, MANAGERS, type Manager, rowsHeldBy } from './managers.ts';
import { cusipOf, LAST, priceCents, QUARTERS, SECURITIES } from './market.ts';
import { accessionOf, workday } from './submission-text.ts';
import { type Report, reportText, rowXml } from './thirteen-f-text.ts';

/** Writes every synthetic filing, and the file that gives its securities their symbols. */
export async function writeFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const report of reports()) await writeFile(join(dir, `${report.accession}.txt`), reportText(report));
  for (const [at, form4] of FORMS_4.entries()) {
    const accession = accessionOf(form4.reportingOwner.cik, form4.filed, at + 1);
    await writeFile(join(dir, `${accession}.txt`), form4Text({ ...form4, accession }));
  }
  await writeFile(join(dir, 'cnsfails202508a.txt'), failsText('20250804', Object.values(SECURITIES)));
}

function reports(): Report[] {
  const plain = [...MANAGERS, ...BOARD_MANAGERS].flatMap((by) =>
    QUARTERS.flatMap((_, quarter) =>
      quarter < by.from || quarter > by.through ? [] : [{ ...report(by, quarter), ...special(by, quarter) }],
    ),
  );
  return [...plain, restatement(), notice()];
}

function report(by: Manager, quarter: number): Report {
  const quarterEnd = QUARTERS[quarter] ?? '';
  const filed = workday(Date.parse(quarterEnd) + by.lagDays * DAY_MS);
  return {
    accession: accessionOf(by.cik, filed, quarter + 1),
    filed,
    by,
    quarterEnd,
    rows: rowsHeldBy(by, quarter),
  };
}

/** What some of the last reports have in addition to their shares. */
function special(by: Manager, quarter: number): Partial<Report> {
  if (by === ALDER && quarter === LAST) return { includes: GINKGO };
  if (by === ELM && quarter === LAST) return { isConfidentialOmitted: true, extraRows: notShares() };
  if (by.optionQuarters?.includes(quarter)) return { extraRows: [calls(by, quarter)] };
  if (by === DOGWOOD && quarter === LAST) return { rows: beforeCorrection() };
  return {};
}

/** Elm's options and bonds, which are never summed into shares. */
function notShares(): string[] {
  const { issuer, cusip } = SECURITIES.done;
  const value = Math.round((80_000 * priceCents('done', LAST)) / 100);
  return [
    rowXml({ issuer, title: 'COM', cusip, value, amount: 80_000, putCall: 'Call' }),
    rowXml({
      ...{ issuer, title: 'NOTE 4.000% 1/1', cusip: cusipOf(1, 30) },
      ...{ value: 1_020_000, amount: 1_000_000, amountType: 'PRN' },
    }),
  ];
}

/** Calls on as much as the manager holds in shares, and half of it more. */
function calls(by: Manager, quarter: number): string {
  const { issuer, cusip } = SECURITIES.chisel;
  const held = rowsHeldBy(by, quarter).reduce((sum, { valueDollars }) => sum + valueDollars, 0);
  const amount = Math.round((held * 150) / priceCents('chisel', quarter));
  const value = Math.round((amount * priceCents('chisel', quarter)) / 100);
  return rowXml({ issuer, title: 'COM', cusip, value, amount, putCall: 'Call' });
}

/** The restatement has 20,000 shares more. */
function beforeCorrection(): Report['rows'] {
  return rowsHeldBy(DOGWOOD, LAST).map((row) => {
    if (row.security.cusip !== SECURITIES.done.cusip) return row;
    const shares = 200_000;
    return { ...row, shares, valueDollars: Math.round((shares * priceCents('done', LAST)) / 100) };
  });
}

function restatement(): Report {
  const filed = '2025-08-20';
  return {
    ...report(DOGWOOD, LAST),
    ...{ accession: accessionOf(DOGWOOD.cik, filed, LAST + 2), filed },
    amendment: { number: 1, type: 'RESTATEMENT' },
  };
}

function notice(): Report {
  return { ...report(GINKGO, LAST), rows: null, reportedBy: ALDER };
}
