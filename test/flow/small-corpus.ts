import { type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, RESTATED, restatedSummer, SPRING, SUMMER } from './greenlight.ts';

/** Forms 4 of Musk, Thiel and Musk. */
export const FORM4 = ['0001494730-18-000005', '0001127602-18-024167', '0001494727-18-000003'];
const [MUSK_JUNE = '', THIEL = '', MUSK_NOVEMBER = ''] = FORM4;
const BERKSHIRE_SUMMER = '0000950123-18-008866';
const BERKSHIRE_AUTUMN = '0000950123-18-011885';

/** Ten filings of 2018 in the order of filing: both forms, two managers, both kinds of amendment. */
export const ORDER = [
  ...[SPRING, MUSK_JUNE, THIEL, BERKSHIRE_SUMMER, SUMMER, RESTATED],
  ...[MUSK_NOVEMBER, BERKSHIRE_AUTUMN, AUTUMN, ADDED],
];
/** After the last of them. */
export const AS_OF = '2018-11-30';

/** A folder with the ten filings; the two amendments are constructed. */
export async function openSmallCorpus(): Promise<Folder> {
  const folder = await openFolder({
    accessions: ORDER.filter((accession) => accession !== RESTATED && accession !== ADDED),
    symbols: ['AAPL', 'GM', 'TSLA', 'FB', 'JPM', 'TWTR', 'BRKB'],
  });
  await folder.add(`${RESTATED}.txt`, await restatedSummer());
  await folder.add(`${ADDED}.txt`, await addedAutumn());
  return folder;
}
