import type { InfoTableRow, RowReason } from '../../domain/filing/filing.ts';
import { type Cusip, parseCusip } from '../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../domain/security/cusip.ts';
import { unreadable } from '../parse-error.ts';
import { type Amount, fieldOf, parseAmount, squeeze } from '../value.ts';

/** The elements of one `infoTable` that are read; their local names are unique in it. */
export const ROW_FIELDS = [
  'nameOfIssuer',
  'titleOfClass',
  'cusip',
  'value',
  'sshPrnamt',
  'sshPrnamtType',
  'putCall',
  'investmentDiscretion',
  'otherManager',
  'Sole',
  'Shared',
  'None',
] as const;

/** Texts in the order of {@link ROW_FIELDS}; undefined for an absent element. */
export type RowTexts = readonly (string | undefined)[];

const NO_REASONS: readonly RowReason[] = Object.freeze([]);
/** Reserved by the CUSIP bureau; in a 13F it means "no security" (rule 3.1). */
const NO_SECURITY = '000000000';

/**
 * One row as filed. A bad CUSIP is with reasons and kept. An unreadable number is an error, because a dropped
 * or zeroed row would look like a sale (rule 1.6). Throws `schema_invalid`.
 */
export function infoRowOf(texts: RowTexts, row: number): InfoTableRow {
  const value = required('value', row, texts[3]);
  const amount = required('sshPrnamt', row, texts[4]);
  const cusipText = fieldOf('cusip', texts[2] ?? '');
  const cusip = readCusip(cusipText);
  return {
    row,
    issuer: squeeze(fieldOf('nameOfIssuer', texts[0] ?? '')),
    titleOfClass: squeeze(fieldOf('titleOfClass', texts[1] ?? '')),
    cusipAsFiled: cusipText,
    cusip,
    value: value.value,
    amount: amount.value,
    amountType: amountTypeOf(texts[5], row),
    putCall: putCallOf(texts[6], row),
    discretion: (texts[7] ?? '').trim(),
    otherManagers: squeeze(fieldOf('otherManager', texts[8] ?? '')),
    votingSole: votes('Sole', row, texts[9]),
    votingShared: votes('Shared', row, texts[10]),
    votingNone: votes('None', row, texts[11]),
    reasons: reasonsOf(cusip, value, amount),
  };
}

function readCusip(text: string): Cusip | null {
  const cusip = parseCusip(text);
  return cusip === NO_SECURITY ? null : cusip;
}

/** Flags of what was read; the array is shared when there are none. */
export function reasonsOf(cusip: Cusip | null, value: Amount, amount: Amount): readonly RowReason[] {
  const reasons: RowReason[] = [];
  if (cusip === null) reasons.push('cusip_malformed');
  else if (!cusipCheckDigitOk(cusip)) reasons.push('cusip_checksum_failed');
  if (value.fractional || amount.fractional) reasons.push('amount_fractional');
  if (value.value < 0n || amount.value < 0n) reasons.push('amount_negative');
  return reasons.length === 0 ? NO_REASONS : reasons;
}

function required(element: string, row: number, text: string | undefined): Amount {
  const amount = text === undefined ? null : parseAmount(text);
  if (amount === null) throw unreadable(`${element} of row ${row}`, text ?? null);
  return amount;
}

/** Votes are often left blank, which means 0. */
function votes(element: string, row: number, text: string | undefined): bigint {
  if (text === undefined || text.trim() === '') return 0n;
  return required(element, row, text).value;
}

function amountTypeOf(text: string | undefined, row: number): InfoTableRow['amountType'] {
  const type = text?.trim().toUpperCase();
  if (type === 'SH' || type === 'PRN') return type;
  throw unreadable(`sshPrnamtType of row ${row}`, text ?? null);
}

function putCallOf(text: string | undefined, row: number): InfoTableRow['putCall'] {
  if (text === undefined) return null;
  const side = text.trim().toUpperCase();
  if (side === '') return null;
  if (side === 'PUT' || side === 'CALL') return side;
  throw unreadable(`putCall of row ${row}`, text);
}
