import { ParseError } from '../../parse-error.ts';
import type { SubmissionDocument } from '../../sgml.ts';
import { asText } from '../../source.ts';

/** A part of a line; `end` is after its last character. */
export type Span = { readonly start: number; readonly end: number };
export type Word = Span & { readonly text: string };

/** A line with tabs expanded to every eighth position, so columns can be compared. */
export type Line = {
  readonly number: number;
  readonly text: string;
  readonly words: readonly Word[];
  /** The filer's editor may have had other tab stops, so the line may not fit its columns. */
  readonly tabbed: boolean;
};

/** Real tables have lines of under 250 characters; a file in one line is not a table. */
const MAX_LINE_CHARS = 1_000;
/** The longest text report seen has 0.5 MB. */
const MAX_TEXT_CHARS = 16 * 1024 * 1024;
/** Rows have a hundred characters or more, so a text with more lines is not a report. */
const MAX_LINES = 300_000;
/** A row has under 40 words; the rest of a longer line is not read. */
const MAX_WORDS = 64;
const TAB = 8;
const WORD = /\S+/g;
const ENTITY = /&(?:amp|lt|gt|quot);/gi;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/**
 * The lines of all text documents of a filing, numbered through: a table may be in two documents. Throws
 * `too_large`, and `text_information_table` for HTML and for lines that are too long for a table.
 */
export function linesOf(documents: readonly SubmissionDocument[]): readonly Line[] {
  const text = documents
    .map((document) => asText(document.text))
    .filter((one) => !/^\s*<PDF>/i.test(one))
    .join('\n<PAGE>\n');
  if (text.length > MAX_TEXT_CHARS) throw new ParseError('too_large', `${text.length} characters of text`);
  if (/<html|<table\s+\w+=/i.test(text)) throw irregular('the document is HTML');
  const lines = text.split(/\r\n|\r|\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES) throw new ParseError('too_large', `more than ${MAX_LINES} lines of text`);
  return lines.flatMap((raw, index) => (raw === '' ? [] : [lineOf(raw, index + 1)]));
}

/** The error for an irregular table, with the line. */
export function irregular(why: string, line?: Line): ParseError {
  if (line === undefined) return new ParseError('text_information_table', why);
  const found = JSON.stringify(line.text.trim().slice(0, 40));
  return new ParseError('text_information_table', `line ${line.number} ${why}: ${found}`);
}

function lineOf(raw: string, number: number): Line {
  if (raw.length > MAX_LINE_CHARS) {
    throw irregular(`line ${number} has ${raw.length} characters`);
  }
  const plain = raw.includes('&') ? raw.replace(ENTITY, (name) => ENTITIES[name.toLowerCase()] ?? name) : raw;
  const tabbed = plain.includes('\t');
  const text = tabbed ? expanded(plain) : plain.trimEnd();
  return { number, text, words: wordsOf(text), tabbed };
}

function expanded(text: string): string {
  const [first = '', ...rest] = text.split('\t');
  let line = first;
  for (const part of rest) line = `${line}${' '.repeat(TAB - (line.length % TAB))}${part}`;
  return line.trimEnd();
}

function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (words.push({ text: word, start: index, end: index + word.length }) === MAX_WORDS) break;
  }
  return words;
}
