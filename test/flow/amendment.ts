import { corpusText } from './folder.ts';

/** An amendment that no manager filed: labelled, and made from a real report. */
export type Synthetic = {
  /** The real report that it amends. */
  readonly of: string;
  readonly accession: string;
  /** `YYYYMMDDhhmmss`, Eastern, as EDGAR stamps it. */
  readonly accepted: string;
  readonly type: 'RESTATEMENT' | 'NEW HOLDINGS';
  readonly number: number;
  /** Changes the <infoTable> elements. */
  readonly table: (rows: readonly string[]) => readonly string[];
};

/**
 * The text of a 13F-HR/A around a real report: header, cover and rows are those of the original,
 * except for what an amendment changes. The container is labelled as constructed; its hash is not the SEC's.
 */
export async function amendmentText(wanted: Synthetic): Promise<string> {
  const original = await corpusText(wanted.of);
  const rows = original.match(/<infoTable>.*?<\/infoTable>/gs) ?? [];
  const kept = wanted.table(rows);
  const total = kept.reduce((sum, row) => sum + BigInt(/<value>(\d+)</.exec(row)?.[1] ?? 0), 0n);
  const day = wanted.accepted.slice(0, 8);
  const cover = `<isAmendment>true</isAmendment><amendmentNo>${wanted.number}</amendmentNo>
      <amendmentInfo><amendmentType>${wanted.type}</amendmentType></amendmentInfo>`;
  return original
    .replaceAll(wanted.of, wanted.accession)
    .replace(/(<SEC-HEADER>[^\n]*\n)/, '$1CONSTRUCTED CONTAINER: AN AMENDMENT MADE FOR A TEST, NEVER FILED\n')
    .replace(/<ACCEPTANCE-DATETIME>\d+/, `<ACCEPTANCE-DATETIME>${wanted.accepted}`)
    .replace(/(FILED AS OF DATE:\s*)\d+/, `$1${day}`)
    .replace(/(CONFORMED SUBMISSION TYPE:\s*)13F-HR/, '$113F-HR/A')
    .replace('<TYPE>13F-HR', '<TYPE>13F-HR/A')
    .replace('<submissionType>13F-HR<', '<submissionType>13F-HR/A<')
    .replace(/(<reportCalendarOrQuarter>[^<]*<\/reportCalendarOrQuarter>)/, `$1${cover}`)
    .replace(/<tableEntryTotal>\d+/, `<tableEntryTotal>${kept.length}`)
    .replace(/<tableValueTotal>\d+/, `<tableValueTotal>${total}`)
    .replace(/<infoTable>.*<\/infoTable>/s, kept.join(''));
}

/** The rows without those of a CUSIP. */
export function without(rows: readonly string[], cusip: string): string[] {
  return rows.filter((row) => !row.includes(`<cusip>${cusip}<`));
}

/** One more row in the shape of the others, with the name, class and CUSIP of `like`. */
export function rowLike(like: string, valueThousands: number, shares: number): string {
  return like
    .replace(/<value>\d+/, `<value>${valueThousands}`)
    .replace(/<sshPrnamt>\d+/, `<sshPrnamt>${shares}`)
    .replace(/<Sole>\d+/, `<Sole>${shares}`);
}
