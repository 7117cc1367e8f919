import { isPlausibleList, type SecurityList } from '../../domain/security/listed.ts';
import { malformed } from '../error.ts';
import { quarterOfSecurityList } from '../urls.ts';
import { listRowsOfText } from './security-list-text.ts';

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
