import type { InfoTableRow } from '../../../domain/filing/filing.ts';
import { type Cusip, parseCusip } from '../../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../../domain/security/listed.ts';
import { type Amount, parseAmount } from '../../value.ts';
import { reasonsOf } from '../info-row.ts';
import { isNumber } from './columns.ts';
import { irregular } from './lines.ts';
import { type Option, optionOf } from './option.ts';
import type { TextRow } from './table.ts';
import { readTail, type Tail } from './tail.ts';

/** A letter in position seven or eight: fixed income, whose amount is principal. */
const DEBT = /^.{6}(?:[A-Z].|.[A-Z])/;

/**
 * The rows of a text table with their numbers. Throws `text_information_table` for a number that cannot be
 * read, and for one that may not be the share count. A row is `text_value_unsure` when
 * - a figure is not clearly in its column;
 * - its amount type is missing although the table gives types, or although the CUSIP is of a bond;
 * - it may be an option but is not clearly one;
 * - its price differs from that of the other rows of the security.
 */
export function rowsOf(drafts: readonly TextRow[]): readonly InfoTableRow[] {
  const pads = dropsZeros(drafts);
  const read = drafts.map(readNumbers);
  const givesTypes = read.some(({ tail }) => tail.amountType !== null);
  return read.map((row, index) => {
    const cusip = row.draft.cusip ?? (pads ? parseCusip(row.draft.cusipAsFiled) : null);
    const option = optionIn(row, cusip);
    const isUnsure = !row.draft.clear || option.isUnsure || lacksType(row.tail, cusip, givesTypes);
    return rowOf(row, { cusip, row: index + 1, putCall: option.putCall, isUnsure });
  });
}

function readNumbers(draft: TextRow) {
  const value = amountOf(draft, draft.pair.value);
  const amount = amountOf(draft, draft.pair.shares);
  requireShares(draft, amount.value);
  return { draft, value, amount, tail: readTail(draft.tail, amount.value, draft.heading) };
}

type Read = ReturnType<typeof readNumbers>;

/**
 * A figure right after the share count may be the real share count, after a price, a percentage or the
 * count of another quarter. Only votes may follow, and they add up to the share count.
 */
function requireShares({ line, tail: { words } }: TextRow, shares: bigint): void {
  if (!/[\d$]/.test(words[0]?.text ?? '')) return;
  const sum = words.reduce((all, { text }) => all + (parseAmount(text)?.value ?? 0n), 0n);
  if (words.every(isNumber) && sum === shares) return;
  throw irregular('has another figure next to its share count', line);
}

function optionIn({ draft, tail }: Read, cusip: Cusip | null): Option {
  const isDebt = tail.amountType === 'PRN' || (cusip !== null && DEBT.test(cusip));
  const { putCall, isUnsure } = optionOf(draft.names, tail.putCall, isDebt);
  return { putCall, isUnsure: isUnsure || tail.mayBeOption || (draft.amongOptions && putCall === null) };
}

/**
 * True when every short code has only digits and passes the check with leading zeros, which a spreadsheet
 * dropped (rule 2.15). A code that does not pass may have lost its check digit instead; then no code of the
 * filing is completed.
 */
function dropsZeros(rows: readonly TextRow[]): boolean {
  const codes = rows.filter(({ cusip }) => cusip === null).map(({ cusipAsFiled }) => cusipAsFiled);
  return codes.every((code) => {
    const padded = /^\d{6,8}$/.test(code) ? parseCusip(code) : null;
    return padded !== null && cusipCheckDigitOk(padded);
  });
}

function lacksType({ amountType, putCall }: Tail, cusip: Cusip | null, givesTypes: boolean): boolean {
  if (amountType !== null || putCall !== null) return false;
  return givesTypes || (cusip !== null && DEBT.test(cusip));
}

type Judged = Pick<InfoTableRow, 'cusip' | 'row' | 'putCall'> & { readonly isUnsure: boolean };

function rowOf({ draft, value, amount, tail }: Read, { isUnsure, ...judged }: Judged): InfoTableRow {
  const { amountType, mayBeOption: _, ...fields } = tail;
  const reasons = reasonsOf(judged.cusip, value, amount);
  return {
    ...fields,
    ...draft.names,
    ...judged,
    cusipAsFiled: draft.cusipAsFiled,
    value: value.value,
    amount: amount.value,
    amountType: amountType ?? 'SH',
    reasons: isUnsure ? [...reasons, 'text_value_unsure'] : reasons,
  };
}

function amountOf({ line }: TextRow, at: number): Amount {
  const amount = parseAmount(line.words[at]?.text.replace('$', '') ?? '');
  if (amount === null || amount.value < 0n) throw irregular('has a number that cannot be read', line);
  return amount;
}
