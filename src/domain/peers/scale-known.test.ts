import { describe, expect, it } from 'vitest';
import { thirteenFOf } from '../../../test/filings/read.ts';
import type { Cusip, IsoDate } from '../ids.ts';
import { foldReport } from '../report/fold.ts';
import { NAMES_NOBODY } from '../report/other-manager.ts';
import type { FiledReport } from './filed-quarter.ts';
import { filer, filingOf, quartersOf } from './peers.sample.ts';
import { peersOf } from './peers.ts';

const bullStreet = thirteenFOf('13f/0001790837-23-000002.txt');
const filed = foldReport([bullStreet]);
/** Closing prices of 2022-12-30 in cents. */
const CLOSES: readonly (readonly [Cusip, bigint])[] = [
  ['037833100' as Cusip, 12_993n],
  ['191216100' as Cusip, 6_361n],
  ['478160104' as Cusip, 17_665n],
  ['594918104' as Cusip, 23_982n],
  ['437076102' as Cusip, 31_586n],
];

const reportOf = (
  cik: FiledReport['cik'],
  accession: string,
  positions: FiledReport['positions'],
): FiledReport => ({
  cik,
  filings: [{ accession: accession as never, filedDate: '2023-02-14' as IsoDate }],
  isComparable: true,
  named: NAMES_NOBODY,
  positions,
});

/** The verdict on Bull Street, with this many synthetic managers that hold five of its stocks at the close. */
function verdictAmong(peers: number) {
  const { cik, header } = bullStreet;
  const held = (filed?.positions ?? []).filter((one) => one.amountType === 'SH' && one.putCall === null);
  const own = held.map((position) => ({ ...position, accession: header.accession }));
  const others = Array.from({ length: peers }, (_, at) => at + 1).map((by) => {
    const accession = filingOf(by, 'current');
    const amount = BigInt(by) * 1_000n;
    const theirs = CLOSES.flatMap(([cusip, close]) =>
      own
        .filter((one) => one.cusip === cusip)
        .map((one) => ({ ...one, accession, amount, valueCents: amount * close })),
    );
    return reportOf(filer(by), accession, theirs);
  });
  const current = [reportOf(cik, header.accession, own), ...others];
  return peersOf(quartersOf({ prior: [], current, next: [] })).verdicts.get(cik);
}

describe('Bull Street at 2022-12-31, filed in 2023 and still in thousands', () => {
  it('is found where three others hold some of its stocks (rule 4.3)', () => {
    const scales = verdictAmong(3)?.scales;
    expect(scales).toEqual([
      {
        accession: '0001790837-23-000002',
        scaleCents: 100_000n,
        reasons: ['value_unit_thousands_after_2023'],
      },
    ]);
    const decided = new Map(scales?.map((scale) => [scale.accession, scale]));
    const corrected = foldReport([bullStreet], { scales: decided });
    const total = (report: typeof filed) =>
      report?.positions.reduce((sum, { valueCents }) => sum + valueCents, 0n);
    expect(total(corrected)).toBe((total(filed) ?? 0n) * 1_000n);
    expect(corrected?.positions.map(({ amount }) => amount)).toEqual(
      filed?.positions.map(({ amount }) => amount),
    );
  });

  it('keeps the scale of its date, marked, where no other filer prices its rows (rule 4.3)', () => {
    for (const peers of [0, 2]) {
      expect(verdictAmong(peers)?.scales).toMatchObject([
        { scaleCents: 100n, reasons: ['value_unit_unverified'] },
      ]);
    }
  });
});
