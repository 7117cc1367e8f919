import { parseCusip } from '../../domain/ids.ts';
import {
  isPlausibleList,
  type ListedSecurity,
  listedKindOf,
  type SecurityList,
} from '../../domain/security/listed.ts';
import { malformed } from '../error.ts';
import { quarterOfSecurityList } from '../urls.ts';

/** The list of 2026Q2 has less than 3 MB. */
const MAX_BYTES = 32 * 2 ** 20;

/**
 * Reads the text edition of an Official List of Section 13(f) Securities. Its name (`13flist2026q2.txt`) gives
 * the quarter. Throws `edgar_malformed` for a file that cannot be read as a whole.
 */
export function readSecurityList(name: string, bytes: Buffer): SecurityList {
  const quarterEnd = quarterOfSecurityList(name);
  if (quarterEnd === null) throw malformed(name, 'its name has no quarter');
  if (bytes.length > MAX_BYTES) throw malformed(name, `${bytes.length} bytes are more than any list has`);
  const rows = listRowsOfText(bytes.toString('latin1'));
  if (rows === null) throw malformed(name, 'it is not the fixed-width text edition');
  if (!isPlausibleList(rows)) throw malformed(name, 'its CUSIPs fail their check digits');
  return { quarterEnd, rows };
}

/** Nine characters and a delimiter: an asterisk there says that options are listed. */
const ROW = /^([0-9A-Z]{9})([\s*])/;
const ISSUER = [10, 40] as const;
const DESCRIPTION = [40, 67] as const;
const STATUS = [67, 70] as const;
/** Other lines for each hundred rows: the real files have none. */
const MAX_STRANGE_PERCENT = 1;

/** Rows of the text edition: 80 columns, without any heading. Null for another kind of file. */
export function listRowsOfText(text: string): readonly ListedSecurity[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const rows = lines.map(rowOf).filter((row) => row !== null);
  const strange = lines.length - rows.length;
  return rows.length === 0 || strange * 100 > rows.length * MAX_STRANGE_PERCENT ? null : rows;
}

function rowOf(line: string): ListedSecurity | null {
  const [, text = '', mark] = ROW.exec(line) ?? [];
  const cusip = parseCusip(text);
  if (cusip === null) return null;
  const description = line.slice(...DESCRIPTION).trim();
  return {
    cusip,
    kind: listedKindOf(description),
    hasOptions: mark === '*',
    issuer: line.slice(...ISSUER).trim(),
    description,
    status: statusOf(line.slice(...STATUS)),
  };
}

/** `*A*` or `*D*`. */
function statusOf(text: string): ListedSecurity['status'] {
  const letter = text.replace(/[^A-Za-z]/g, '').toUpperCase();
  if (letter === 'A') return 'added';
  return letter === 'D' ? 'deleted' : null;
}
