import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { MAX_FIELD_CHARS } from '../../src/forms/parse-error.ts';
import { type Pattern, patternsIn } from './literals.ts';
import { slowText } from './slow.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PRODUCT = ['src', 'jobs', 'queues', 'dashboards', 'packages/embedded', 'packages/local-edgar'];
const NOT_SHIPPED = /\.(?:test|sample)\.ts$/;

const files = PRODUCT.flatMap((top) =>
  readdirSync(`${ROOT}/${top}`, { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`),
).filter((path) => path.endsWith('.ts') && !NOT_SHIPPED.test(path));
const read = files.map((path) => ({ path, ...patternsIn(path, readFileSync(`${ROOT}/${path}`, 'utf8')) }));
const pattern = (source: string, flags = ''): Pattern => ({ path: '', source, flags });

/** Of an operator, of our own answers, or of a line that is shorter than that anyway. */
const SHORT = 1_000;
/**
 * Patterns that take quadratic time, each with the most characters that its text can have. Anything that
 * could be longer has to be written another way.
 */
const BOUNDED: Readonly<Record<string, number>> = {
  // Addresses of sockets, of this machine's settings, and of links in our own answers.
  '%.*$': SHORT,
  '\\/+$': SHORT,
  '[?&]page=(\\d+)[^>]*>; rel="next"': SHORT,
  // Paths and first lines in the folder of a local EDGAR.
  '(^|\\/)(\\.[^/]+|node_modules)(\\/|$)': MAX_FIELD_CHARS,
  // Lines of a text report (`MAX_LINE_CHARS`).
  '^\\s*(\\d{1,3})\\.?\\s+(?:(0?28)-? ?(\\d{0,6})|_{2,})_*\\s+(\\S.*)$': SHORT,
  '\\d[\\d,]*(?:\\.\\d+)?': SHORT,
  '^\\s*\\$?\\s*(\\d[\\d,]*(?:\\.\\d+)?)\\s*$': SHORT,
  // Digits of one amount, of which the readers accept some thirty.
  '\\.?0+$': 64,
  '0+$': 64,
  '\\B(?=(\\d{3})+$)': 64,
  // Names, titles and symbols (rule 1.8).
  '(?<!&)[\\s,]+(?:inc|incorporated|llc|l\\.l\\.c|lp|l\\.p|llp|ltd|limited|corp|corporation|co|company|plc|ag|sa|nv|et al)\\.?$':
    MAX_FIELD_CHARS,
  '\\s*[/\\\\][A-Z]{2,3}[/\\\\]?$': MAX_FIELD_CHARS,
  '\\s+\\S*$': MAX_FIELD_CHARS,
  '(?:[\\s,&(-]|\\s(?:and|of|the|for|de))+$': MAX_FIELD_CHARS,
  '^-+|-+$': MAX_FIELD_CHARS,
  '[,;|&]|\\s+(?:AND|OR)\\s+|\\)\\s*\\(': MAX_FIELD_CHARS,
  '\\b(?:PLC|LTD|N ?V|S ?A|A ?G|S ?E|ASA|AB|SPA)\\b.*\\bORD(?:INARY)?\\b': MAX_FIELD_CHARS,
  '\\s(?:COM|COMMON|CLASS|CL|SERIES|SER|SPON\\w*|UNSPON\\w*|ADR|ADS|ORD\\w*|SHS|PFD)\\b.*$': MAX_FIELD_CHARS,
  '[AEIOU].*[AEIOU]': MAX_FIELD_CHARS,
  // What a cover says in words; longer ones are not read.
  '\\b(?:this|the) (?:form 13f|filing|report) includes the following (?:holdings|positions|securities)\\b[^.:]*\\b(?:formerly|previously) reported by ([^.:]+)[.:] ':
    MAX_FIELD_CHARS,
};

describe('a regular expression of the product', () => {
  const slow = read.flatMap(({ literals }) =>
    literals.flatMap((one) => {
      const text = slowText(one);
      return text === null ? [] : [{ ...one, text }];
    }),
  );

  test('takes linear time, or stands here with the bound of its text', () => {
    const unknown = slow.filter(({ source }) => BOUNDED[source] === undefined);
    expect(unknown.map(({ path, source }) => `${path}: ${source}`)).toEqual([]);
    const known = new Set(slow.map(({ source }) => source));
    expect(Object.keys(BOUNDED).filter((source) => !known.has(source))).toEqual([]);
  });

  test.each(slow)('of $path takes a moment at most on a text of its bound: $source', (one) => {
    const most = BOUNDED[one.source] ?? 0;
    const text = `${one.text.repeat(Math.ceil(most / one.text.length)).slice(0, most)}\u0000`;
    const expression = new RegExp(one.source, one.flags.replace('y', ''));
    const times = Array.from({ length: 3 }, () => {
      const started = performance.now();
      text.replace(expression, '');
      return performance.now() - started;
    });
    // Far above what it takes, far below what a text of its bound would take if the bound were wrong.
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  test('is a literal, so that it is checked here, but for those few', () => {
    const composed = read.filter((one) => one.composed > 0).map(({ path, composed: count }) => [path, count]);
    expect(Object.fromEntries(composed)).toEqual({
      'src/api/app.ts': 1,
      'src/credits/account/code.ts': 1,
      'src/domain/insider/kind.ts': 2,
      'src/domain/insider/trade.ts': 2,
      'src/edgar/data-set/download.ts': 1,
      'packages/local-edgar/routes.ts': 2,
      'src/edgar/urls.ts': 1,
      'src/forms/form-13f/info-table.ts': 1,
      'src/forms/form-13f/text/cover.ts': 1,
    });
  });
});

test('the check finds what is exponential, quadratic from each beginning, or repeated in its own gap', () => {
  for (const source of ['^(a+)+$', '\\s+$', '^\\d*\\d*x', '<a[^>]*>', '<(A|B)>([\\s\\S]*?)<\\/\\1>'])
    expect(slowText(pattern(source)), source).not.toBeNull();
  for (const source of ['^\\s*$', '<a[^<>]*>', '^[a-z]+-\\d+$', 'a{1,20}b'])
    expect(slowText(pattern(source)), source).toBeNull();
});
