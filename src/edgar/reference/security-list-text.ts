import { parseCusip } from '../../domain/ids.ts';
import { type ListedSecurity, listedKindOf } from '../../domain/security/listed.ts';

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
