import type { InfoTableRow, OtherManager, TakenIn } from '../../domain/filing/filing.ts';
import { compareNames } from '../../domain/security/issuer-name.ts';
import { MAX_FIELD_CHARS } from '../limits.ts';
import { parseAmount, squeeze } from '../value.ts';

const LIST =
  /\b(?:this|the) (?:form 13f|filing|report) includes the following (?:holdings|positions|securities)\b[^.:]*\b(?:formerly|previously) reported by ([^.:]+)[.:] /i;
const DENIAL = /\b(?:not|no longer|never)\b/i;
const FILE_NUMBER = /^ ?\(Form 13F File (?:Number |No\. ?|#)(\d{2,3}-\d{1,6})\)/i;

/**
 * What the additional information of a cover says that this report holds and another manager's held before, such
 * as `Apple Inc. - 20,424,207 shares` (rule 2.12). Null unless it is a list to the end of the text, of which each
 * line is the issuer and the exact count of rows of one security: a text that is read in part proves nothing.
 */
export function takenInOf(information: string | null, rows: readonly InfoTableRow[]): TakenIn | null {
  if (information === null || information.length > MAX_FIELD_CHARS) return null;
  const text = squeeze(information).replace(/[“”]/g, '"');
  const list = LIST.exec(text);
  if (list === null || DENIAL.test(list[0])) return null;
  const lines = text.slice(list.index + list[0].length).split(/ shares\b[.,;]?/);
  if (lines.length < 2 || lines.pop()?.trim() !== '') return null;
  const positions = lines.flatMap((line) => positionOf(line, rows) ?? []);
  const isWhole = new Set(positions.map(({ cusip }) => cusip)).size === lines.length;
  return isWhole ? { from: managerOf(list[1] as string, text), positions } : null;
}

function positionOf(line: string, rows: readonly InfoTableRow[]): TakenIn['positions'][number] | null {
  const dash = line.lastIndexOf('-');
  const [name, amount] = [line.slice(0, dash).trim(), parseAmount(line.slice(dash + 1).trim())?.value];
  if (dash < 1 || amount === undefined) return null;
  const own = rows.filter(
    (row) =>
      row.amount === amount &&
      row.amountType === 'SH' &&
      row.putCall === null &&
      compareNames(row.issuer, name) === 'same',
  );
  const cusip = own[0]?.cusip ?? null;
  return cusip !== null && own.every((row) => row.cusip === cusip) ? { cusip, amount } : null;
}

/** By the name and file number where the text defines the short one: `New England Asset Management Inc. ("NEAM")`. */
function managerOf(short: string, text: string): OtherManager {
  const defined = text.indexOf(`("${short}")`);
  const before = defined < 0 ? short : text.slice(0, defined).trimEnd();
  const words = before.split(' ');
  const name = words.slice(words.findLastIndex((word) => !/^[A-Z&]/.test(word)) + 1).join(' ') || before;
  const form13fFileNumber = FILE_NUMBER.exec(text.slice(defined + short.length + 4))?.[1] ?? null;
  return { name, cik: null, form13fFileNumber: defined < 0 ? null : form13fFileNumber, sequence: null };
}
