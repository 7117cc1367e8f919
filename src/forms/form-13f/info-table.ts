import type { InfoTableRow } from '../../domain/filing/filing.ts';
import { MAX_ROWS } from '../limits.ts';
import { ParseError, unreadable } from '../parse-error.ts';
import { asText, type Source } from '../source.ts';
import { scanXml } from '../xml.ts';
import { infoRowReader, ROW_FIELDS } from './info-row.ts';
import { readPlainRows } from './plain-table.ts';

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
