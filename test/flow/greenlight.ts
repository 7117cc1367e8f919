import { amendmentText, rowLike, without } from './amendment.ts';
import { corpusText } from './folder.ts';

/** Greenlight's reports of 2018, and two amendments to them that were never filed. */
export const SPRING = '0001079114-18-000008'; // 2018-03-31
export const SUMMER = '0001079114-18-000009'; // 2018-06-30
export const AUTUMN = '0001079114-18-000013'; // 2018-09-30
export const RESTATED = '0001079114-18-900001';
export const ADDED = '0001079114-18-900002';

const APPLE = '037833100';

/** The restatement: a million more GM shares (10,741,241 → 11,741,241 in its first row), no Apple. */
export async function restatedSummer(): Promise<string> {
  return amendmentText({
    of: SUMMER,
    accession: RESTATED,
    accepted: '20180820160000',
    type: 'RESTATEMENT',
    number: 1,
    table: (rows) => without(rows, APPLE).map((row) => row.replace(/>10741241</g, '>11741241<')),
  });
}

/** The supplement: one position of Apple that the report of autumn had left out. */
export async function addedAutumn(): Promise<string> {
  const apple = (await corpusText(SUMMER))
    .match(/<infoTable>.*?<\/infoTable>/gs)
    ?.find((row) => row.includes(APPLE));
  return amendmentText({
    of: AUTUMN,
    accession: ADDED,
    accepted: '20181120093000',
    type: 'NEW HOLDINGS',
    number: 1,
    table: () => [rowLike(apple ?? '', 112_870, 500_000)],
  });
}
