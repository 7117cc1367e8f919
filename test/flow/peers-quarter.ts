import type { Folder } from './folder.ts';
import { addSynthetic, type SyntheticReport, type SyntheticRow } from './synthetic.ts';

/**
 * Two synthetic quarters of eight managers, in dollars: Apple is split 4 for 1, AMC is consolidated
 * 1 for 10 under a new CUSIP (as in August 2023), manager 7 writes the second report in thousands,
 * manager 8 a value a hundred times too large, and manager 5 sells half of its JPMorgan.
 */
export const JUNE = '2023-06-30';
export const SEPTEMBER = '2023-09-30';
/** Managers 1 to 4 file on the first of these days, 5 to 8 on the second. */
export const EARLY = '2023-11-01';
export const LATE = '2023-11-14';

export const APPLE = '037833100';
export const AMC_OLD = '00165C104';
export const AMC_NEW = '00165C302';
export const GM = '37045V100';
export const JPM = '46625H100';
export const MANAGERS = [1, 2, 3, 4, 5, 6, 7, 8];
export const IN_THOUSANDS = 7;
export const SLIP = 8;
export const SELLER = 5;
export const SYMBOLS = ['AAPL', 'GM', 'JPM'];

type Holding = {
  readonly issuer: string;
  readonly cusip: string;
  readonly shares: number;
  readonly price: number;
};

/** Shares differ between the managers, so that no two managers have the same positions. */
export function heldIn(quarterEnd: string, manager: number): Holding[] {
  const isJune = quarterEnd === JUNE;
  const sold = !isJune && manager === SELLER;
  return [
    {
      issuer: 'APPLE INC',
      cusip: APPLE,
      shares: (1_000 + manager) * (isJune ? 100 : 400),
      price: isJune ? 192 : 44,
    },
    {
      issuer: 'AMC ENTMT HLDGS INC',
      cusip: isJune ? AMC_OLD : AMC_NEW,
      // A tenth; the fraction of a share is paid out in cash.
      shares: isJune ? 50_005 + manager : Math.floor((50_005 + manager) / 10),
      price: isJune ? 4 : 38,
    },
    { issuer: 'GENERAL MTRS CO', cusip: GM, shares: 30_000 + manager, price: isJune ? 38 : 33 },
    {
      issuer: 'JPMORGAN CHASE & CO',
      cusip: JPM,
      shares: (20_000 + 10 * manager) / (sold ? 2 : 1),
      price: 145,
    },
  ];
}

function rowOf({ price, ...holding }: Holding, quarterEnd: string, manager: number): SyntheticRow {
  const dollars = holding.shares * price;
  if (quarterEnd === JUNE) return { ...holding, value: dollars };
  if (manager === IN_THOUSANDS) return { ...holding, value: Math.round(dollars / 1_000) };
  return { ...holding, value: manager === SLIP && holding.cusip === GM ? dollars * 100 : dollars };
}

export const REPORTS: readonly SyntheticReport[] = [JUNE, SEPTEMBER].flatMap((quarterEnd) =>
  MANAGERS.map((manager) => ({
    manager,
    quarterEnd,
    filed: quarterEnd === JUNE ? '2023-08-14' : manager <= 4 ? EARLY : LATE,
    rows: heldIn(quarterEnd, manager).map((holding) => rowOf(holding, quarterEnd, manager)),
  })),
);

const FAILS = {
  cnsfails202308b: [
    `20230823|${AMC_OLD}|AMC|1000|AMC ENTERTAINMENT HLDGS CL A|4.10`,
    `20230824|${AMC_OLD}|AMCXXXX|1000|AMC ENTERTAINMENT HLDGS CL A|4.10`,
    `20230825|${AMC_NEW}|AMC|1000|AMC ENTERTAINMENT HLDGS CL A|39.20`,
    `20230828|${APPLE}|AAPL|1000|APPLE INC|178.61`,
    `20230829|${APPLE}|AAPL|1000|APPLE INC|45.05`,
  ],
  cnsfails202309a: [`20230905|${AMC_NEW}|AMC|1000|AMC ENTERTAINMENT HLDGS CL A|12.00`],
};

/** Writes both quarters, and the fails files that show the split and the new CUSIP; returns the accessions. */
export async function addQuarters(
  folder: Folder,
  reports: readonly SyntheticReport[] = REPORTS,
): Promise<string[]> {
  const head = 'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE';
  for (const [name, rows] of Object.entries(FAILS)) {
    const lines = [head, ...rows, `Trailer record count ${rows.length}`, ''];
    await folder.add(`fails/${name}.txt`, lines.join('\n'));
  }
  return addSynthetic(folder, reports);
}
