import type { InfoTableRow } from '../../domain/filing/filing.ts';
import { MAX_ROWS } from '../limits.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { scanXml } from '../xml.ts';
import { infoRowOf, ROW_FIELDS } from './info-row.ts';
import { readPlainRows } from './plain-table.ts';

const SLOTS: ReadonlyMap<string, number> = new Map(ROW_FIELDS.map((name, slot) => [name, slot]));

/**
 * Every row of an information table. Nothing is returned unless the whole document is well-formed.
 * A placeholder row stays a row, as filed: that it holds nothing is for the fold to say.
 * Throws `wrong_root`, `too_many_rows`, `schema_invalid`, `information_table_missing` and what
 * {@link scanXml} throws.
 */
export function readInfoTable(xml: string): readonly InfoTableRow[] {
  const rows = readPlainRows(xml) ?? streamRows(xml);
  // The schema demands one entry; EDGAR's way to say "no holdings" is the placeholder.
  if (rows.length === 0) throw new ParseError('information_table_missing', 'no entries');
  return rows;
}

/** The general way, for any well-formed table: one row is held at a time besides the result. */
export function streamRows(xml: string): readonly InfoTableRow[] {
  const rows: InfoTableRow[] = [];
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
      // Two of one leaf: either reading could be the wrong one.
      if (texts[slot] !== undefined) throw unreadable(`second ${name} of row ${rows.length + 1}`, name);
      texts[slot] = '';
    },
    text: (text) => {
      if (slot !== undefined) texts[slot] += text;
    },
    close: (_name, depth) => {
      slot = undefined;
      if (depth === 2) rows.push(infoRowOf(texts, rows.length + 1));
    },
  });
  return rows;
}

function expectElement(name: string, depth: number, rowsSoFar: number): void {
  if (depth === 1) {
    if (name !== 'informationTable') throw new ParseError('wrong_root', `<${name.slice(0, 40)}>`);
    return;
  }
  // An entry under another name would be a row lost in silence.
  if (name !== 'infoTable') throw unreadable('infoTable', name);
  if (rowsSoFar >= MAX_ROWS) throw new ParseError('too_many_rows', `more than ${MAX_ROWS}`);
}
