import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Folder, openFolder } from '../../flow/folder.ts';
import { addSynthetic } from '../../flow/synthetic.ts';

const CORPUS = fileURLToPath(new URL('../../../demo/corpus', import.meta.url));
/** The day that the demo takes as today. */
export const AS_OF = '2018-11-30';
/** The last day of a quarter, and the day on which its reports are filed. */
const QUARTERS = [
  ['2017-09-30', '2017-11-14'],
  ['2017-12-31', '2018-02-14'],
  ['2018-03-31', '2018-05-15'],
  ['2018-06-30', '2018-08-14'],
  ['2018-09-30', '2018-11-14'],
] as const;
/** With five reports each and the bundled filings there are more than five hundred. */
export const MANAGERS = 90;
export const MIN_FILINGS = 500;

/** All bundled filings, and small ones of so many managers more, at most 99. */
export async function openManyFilings(managers = MANAGERS): Promise<Folder> {
  const many = await openFolder({ accessions: [], symbols: [] });
  cpSync(CORPUS, many.dir, { recursive: true });
  const reports = Array.from({ length: managers }, (_, at) =>
    QUARTERS.map(([quarterEnd, filed], quarter) => {
      const shares = 1_000 * (1 + ((at + quarter) % 7));
      const rows = [
        { issuer: 'APPLE INC', cusip: '037833100', shares, value: (shares * 200) / 1_000 },
        { issuer: 'GENERAL MTRS CO', cusip: '37045V100', shares: 2 * shares, value: (shares * 70) / 1_000 },
      ];
      return { manager: at + 1, quarterEnd, filed, rows };
    }),
  );
  await addSynthetic(many, reports.flat());
  return many;
}
