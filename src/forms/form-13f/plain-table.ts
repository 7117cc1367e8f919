import type { InfoTableRow } from '../../domain/filing/filing.ts';
import { MAX_ROWS, MAX_TEXT_CHARS } from '../limits.ts';
import { ParseError } from '../parse-error.ts';
import { decodedText, scanXml } from '../xml.ts';
import { infoRowReader } from './info-row.ts';

/** Character data that XML processing does not change, except references. */
const TEXT = '([^<>\\x00-\\x08\\x0b-\\x1f\\ud800-\\udfff\\ufffe\\uffff]*)';
const HEAD = /^(?:<\?xml[^<>?]*\?>)?\s*<((?:[A-Za-z_][\w.-]*:)?)informationTable(?:\s[^<>]*)?>\s*/;

/**
 * The fast reader, for a table like nearly all: rows in the order of the schema, without comments,
 * attributes or CDATA. Every row must match one expression that admits only well-formed XML, and the rest of
 * the document goes through the strict parser. So {@link scanXml} would accept the table with equal rows.
 * Null for any other table, which the general reader then reads.
 */
export function readPlainRows(xml: string): InfoTableRow[] | null {
  const head = HEAD.exec(xml);
  if (head === null) return null;
  const [opening, prefix = ''] = head;
  const pattern = rowPattern(prefix);
  const rows: InfoTableRow[] = [];
  const rowOf = infoRowReader();
  let end = opening.length;
  pattern.lastIndex = end;
  for (let match = pattern.exec(xml); match !== null; match = pattern.exec(xml)) {
    const texts = textsOf(match);
    if (texts === null) return null;
    if (rows.length >= MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
    rows.push(rowOf(texts, rows.length + 1));
    end = pattern.lastIndex;
  }
  const closing = xml.slice(end);
  if (rows.length === 0 || closing.trim() !== `</${prefix}informationTable>`) return null;
  scanXml(opening + closing, { open: () => {}, text: () => {}, close: () => {} });
  return rows;
}

/** The captures are in the order of ROW_FIELDS. */
function rowPattern(prefix: string): RegExp {
  const p = prefix.replace(/[.]/g, '\\$&');
  const leaf = (name: string): string => `<${p}${name}>${TEXT}</${p}${name}>\\s*`;
  const optional = (name: string): string => `(?:${leaf(name)}|<${p}${name}\\s*/>\\s*)?`;
  const group = (name: string, content: string): string => `<${p}${name}>\\s*${content}</${p}${name}>\\s*`;
  // Not used, so not captured.
  const figi = optional('figi').replace(TEXT, TEXT.replace('(', '(?:'));
  return new RegExp(
    group(
      'infoTable',
      ['nameOfIssuer', 'titleOfClass', 'cusip'].map(leaf).join('') +
        figi +
        leaf('value') +
        group('shrsOrPrnAmt', leaf('sshPrnamt') + leaf('sshPrnamtType')) +
        optional('putCall') +
        leaf('investmentDiscretion') +
        optional('otherManager') +
        group('votingAuthority', leaf('Sole') + leaf('Shared') + leaf('None')),
    ),
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
