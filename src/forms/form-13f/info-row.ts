import type { InfoTableRow, RowReason } from '../../domain/filing/filing.ts';
import { type Cusip, parseCusip } from '../../domain/ids.ts';
import { cusipCheckDigitOk } from '../../domain/security/cusip.ts';
import { unreadable } from '../parse-error.ts';
import { type Amount, fieldOf, ownCopy, parseAmount, squeeze } from '../value.ts';

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
type RowTexts = readonly (string | undefined)[];

const NO_REASONS: readonly RowReason[] = Object.freeze([]);
/** Reserved by the CUSIP bureau; in a 13F it means "no security" (rule 3.1). */
const NO_SECURITY = '000000000';

/** Reads one row as filed. Throws `schema_invalid`. */
type InfoRowReader = (texts: RowTexts, row: number) => InfoTableRow;

/**
 * The reader of one table. A bad CUSIP is kept with reasons. An unreadable number is an error, because a
 * dropped or zeroed row would look like a sale (rule 1.6).
 */
export function infoRowReader(): InfoRowReader {
  const { issuerOf, titleOf, managersOf, discretionOf, cusipOf } = textReaders();
  return (texts, row) => {
    // By place, as in ROW_FIELDS. No type holds that: a match, a line and a document each fill a list.
    const [issuer, title, id, value, amount, type, side, discretion, managers, sole, shared, none] = texts;
    const filedValue = required('value', row, value);
    const filedAmount = required('sshPrnamt', row, amount);
    // One kind of vote is often the whole amount: then it is the same number.
    const votesOf = (element: string, text: string | undefined): bigint =>
      text === amount ? filedAmount.value : votes(element, row, text);
    const { asFiled, cusip, reasons } = cusipOf(id ?? '');
    return {
      row,
      issuer: issuerOf(issuer ?? ''),
      titleOfClass: titleOf(title ?? ''),
      cusipAsFiled: asFiled,
      cusip,
      value: filedValue.value,
      amount: filedAmount.value,
      amountType: amountTypeOf(type, row),
      putCall: putCallOf(side, row),
      discretion: discretionOf(discretion ?? ''),
      otherManagers: managersOf(managers ?? ''),
      votingSole: votesOf('Sole', sole),
      votingShared: votesOf('Shared', shared),
      votingNone: votesOf('None', none),
      reasons:
        isPlain(filedValue) && isPlain(filedAmount) ? reasons : reasonsOf(cusip, filedValue, filedAmount),
    };
  };
}

/**
 * Names, classes and CUSIPs repeat: each is read once, and all rows share one text of it, which does not keep the
 * text of the filing in memory.
 */
function textReaders() {
  return {
    issuerOf: remembering((text) => ownCopy(squeeze(fieldOf('nameOfIssuer', text)))),
    titleOf: remembering((text) => ownCopy(squeeze(fieldOf('titleOfClass', text)))),
    managersOf: remembering((text) => ownCopy(squeeze(fieldOf('otherManager', text)))),
    discretionOf: remembering((text) => ownCopy(text.trim())),
    cusipOf: remembering(readCusip),
  };
}

/** The value of each key, made on its first use. The last one is found without a look at the others. */
function remembering<T>(make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  let [lastKey, last] = ['', make('')];
  return (key) => {
    if (key === lastKey) return last;
    const found = known.get(key);
    last = found ?? make(key);
    lastKey = key;
    if (found === undefined) known.set(ownCopy(key), last);
    return last;
  };
}

type ReadCusip = {
  readonly asFiled: string;
  readonly cusip: Cusip | null;
  readonly reasons: readonly RowReason[];
};

function readCusip(text: string): ReadCusip {
  const asFiled = ownCopy(fieldOf('cusip', text));
  const parsed = parseCusip(asFiled);
  const cusip = parsed === NO_SECURITY ? null : parsed;
  return { asFiled, cusip, reasons: reasonsOf(cusip) };
}

/** Neither a fraction nor negative. */
function isPlain({ value, fractional }: Amount): boolean {
  return !fractional && value >= 0n;
}

/** Flags of what was read; the array is shared when there are none. */
export function reasonsOf(cusip: Cusip | null, ...amounts: readonly Amount[]): readonly RowReason[] {
  const reasons: RowReason[] = [];
  if (cusip === null) reasons.push('cusip_malformed');
  else if (!cusipCheckDigitOk(cusip)) reasons.push('cusip_checksum_failed');
  if (amounts.some(({ fractional }) => fractional)) reasons.push('amount_fractional');
  if (amounts.some(({ value }) => value < 0n)) reasons.push('amount_negative');
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
  if (text === 'SH') return 'SH';
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
