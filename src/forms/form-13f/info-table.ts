import type { InfoTableRow } from '../../domain/filing/filing.ts';
import { MAX_ROWS, MAX_TEXT_CHARS, ParseError, unreadable } from '../parse-error.ts';
import { asText, firstChars, lengthIn, partOf, type Source } from '../source.ts';
import { decodedText, scanXml } from '../xml.ts';
import { infoRowReader, ROW_FIELDS } from './info-row.ts';

const SLOTS: ReadonlyMap<string, number> = new Map(ROW_FIELDS.map((name, slot) => [name, slot]));

/**
 * Every row of an information table. Returns nothing unless the whole document is well-formed. Placeholder
 * rows stay, as filed: the fold removes them. Throws `wrong_root`, `too_many_rows`, `schema_invalid`,
 * `information_table_missing` and what {@link scanXml} throws.
 */
export function readInfoTable(xml: Source): readonly InfoTableRow[] {
  const rows = readPlainRows(xml) ?? streamRows(asText(xml));
  // The schema demands one entry; for "no holdings" EDGAR asks for a placeholder row.
  if (rows.length === 0) throw new ParseError('information_table_missing', 'no entries');
  return rows;
}

/** The general reader, for any well-formed table. It streams one row at a time. */
export function streamRows(xml: string): readonly InfoTableRow[] {
  const rows: InfoTableRow[] = [];
  const rowOf = infoRowReader();
  let texts: (string | undefined)[] = [];
  let slot: number | undefined;
  scanXml(xml, {
    open: (name, depth) => {
      if (depth <= 2) {
        expectElement(name, depth, rows.length);
        texts = [];
        return;
      }
      slot = SLOTS.get(name);
      if (slot === undefined) return;
      // With two of one element, either could be the wrong one.
      if (texts[slot] !== undefined) throw unreadable(`second ${name} of row ${rows.length + 1}`, name);
      texts[slot] = '';
    },
    text: (text) => {
      if (slot !== undefined) texts[slot] += text;
    },
    close: (_name, depth) => {
      slot = undefined;
      if (depth === 2) rows.push(rowOf(texts, rows.length + 1));
    },
  });
  return rows;
}

function expectElement(name: string, depth: number, rowsSoFar: number): void {
  if (depth === 1) {
    if (name !== 'informationTable') throw new ParseError('wrong_root', `<${name.slice(0, 40)}>`);
    return;
  }
  // An entry under another name would be a lost row.
  if (name !== 'infoTable') throw unreadable('infoTable', name);
  if (rowsSoFar >= MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
}

/** Character data that XML processing does not change, except references. */
const TEXT = '([^<>\\x00-\\x08\\x0b-\\x1f\\ud800-\\udfff\\ufffe\\uffff]*)';
const HEAD =
  /^(?:<\?xml[^<>?]*\?>)?[ \t\r\n]*<((?:[A-Za-z_][\w.-]*:)?)informationTable(?:[ \t\r\n][^<>]*)?>[ \t\r\n]*/;
/** White space of XML. That of a regular expression has characters that the strict parser refuses. */
const S = '[ \\t\\r\\n]*';

const HEAD_CHARS = 4096;
/** Bytes or characters: far more than a row. */
const PIECE_LENGTH = 128 * 1024;

/**
 * The fast reader, for a table like nearly all: rows in the order of the schema, without comments,
 * attributes or CDATA. Every row must match one expression that admits only well-formed XML, and the rest of
 * the document goes through the strict parser. So {@link scanXml} would accept the table with equal rows.
 * The table is decoded in pieces of whole rows, because its whole text would be the most memory of a parse.
 * Null for any other table, which the general reader then reads.
 */
export function readPlainRows(xml: Source): InfoTableRow[] | null {
  const head = HEAD.exec(firstChars(xml, HEAD_CHARS));
  if (head === null) return null;
  const [opening, prefix = ''] = head;
  const readPiece = pieceReader(prefix);
  const endOfRow = `</${prefix}infoTable>`;
  const rows: InfoTableRow[] = [];
  let rest = partOf(xml, lengthIn(xml, opening));
  for (;;) {
    const last = partOf(rest, 0, PIECE_LENGTH).lastIndexOf(endOfRow);
    if (last < 0) break;
    const end = last + endOfRow.length;
    if (!readPiece(asText(partOf(rest, 0, end)), rows)) return null;
    rest = partOf(rest, end);
  }
  if (rows.length === 0 || rest.length > PIECE_LENGTH) return null;
  const closing = asText(rest);
  if (closing.trim() !== `</${prefix}informationTable>`) return null;
  scanXml(opening + closing, { open: () => {}, text: () => {}, close: () => {} });
  return rows;
}

/** Adds the rows of a text that is nothing but rows; false for any other text. */
function pieceReader(prefix: string): (piece: string, rows: InfoTableRow[]) => boolean {
  const pattern = rowPattern(prefix);
  const rowOf = infoRowReader();
  return (piece, rows) => {
    let end = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(piece); match !== null; match = pattern.exec(piece)) {
      const texts = textsOf(match);
      if (texts === null) return false;
      if (rows.length >= MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
      rows.push(rowOf(texts, rows.length + 1));
      end = pattern.lastIndex;
    }
    return end === piece.length;
  };
}

/** The captures are in the order of ROW_FIELDS. */
function rowPattern(prefix: string): RegExp {
  const p = prefix.replace(/[.]/g, '\\$&');
  const leaf = (name: string): string => `<${p}${name}>${TEXT}</${p}${name}>${S}`;
  const optional = (name: string): string => `(?:${leaf(name)}|<${p}${name}${S}/>${S})?`;
  const group = (name: string, content: string): string => `<${p}${name}>${S}${content}</${p}${name}>${S}`;
  // Not used, so not captured.
  const figi = optional('figi').replace(TEXT, TEXT.replace('(', '(?:'));
  return new RegExp(
    `${S}${group(
      'infoTable',
      ['nameOfIssuer', 'titleOfClass', 'cusip'].map(leaf).join('') +
        figi +
        leaf('value') +
        group('shrsOrPrnAmt', leaf('sshPrnamt') + leaf('sshPrnamtType')) +
        optional('putCall') +
        leaf('investmentDiscretion') +
        optional('otherManager') +
        group('votingAuthority', leaf('Sole') + leaf('Shared') + leaf('None')),
    )}`,
    'y',
  );
}

/** The captures. The first element is taken out of the match itself: a copy would be garbage for every row. */
function textsOf(match: RegExpExecArray): readonly (string | undefined)[] | null {
  const row = match.shift() ?? '';
  if (row.length > MAX_TEXT_CHARS) return null;
  if (!row.includes('&')) return match;
  // Other references (numeric, unknown, bare ampersand) need the strict parser.
  if (decodedText(row) === null) return null;
  return match.map((text: string | undefined) =>
    text === undefined ? undefined : (decodedText(text) ?? text),
  );
}
