import { describe, expect, test } from 'vitest';
import { quarterOfSecurityList, securityListNames, securityListPath } from '../urls.ts';
import { listLine, listPdf, type PrintedRow } from './security-list.sample.ts';
import { readSecurityList } from './security-list.ts';
import { listRowsOfText } from './security-list-text.ts';

const APPLE: readonly PrintedRow[] = [
  ['037833100', '*', 'APPLE INC', 'COM'],
  ['037833900', '', 'APPLE INC', 'CALL'],
  ['037833950', '', 'APPLE INC', 'PUT'],
];
const READ = [
  {
    cusip: '037833100',
    kind: 'security',
    hasOptions: true,
    issuer: 'APPLE INC',
    description: 'COM',
    status: null,
  },
  {
    cusip: '037833900',
    kind: 'call',
    hasOptions: false,
    issuer: 'APPLE INC',
    description: 'CALL',
    status: null,
  },
  {
    cusip: '037833950',
    kind: 'put',
    hasOptions: false,
    issuer: 'APPLE INC',
    description: 'PUT',
    status: null,
  },
];
const TEXT = [
  listLine('037833100', ['APPLE INC', 'COM'], { mark: '*' }),
  listLine('037833900', ['APPLE INC', 'CALL']),
  listLine('037833950', ['APPLE INC', 'PUT']),
];

describe('the text edition of the official list', () => {
  test('the asterisk behind a CUSIP is a delimiter and says that options are listed (rule 3.2)', async () => {
    expect(TEXT[0]).toHaveLength(80);
    const list = await readSecurityList('13flist2026q2-txt.txt', Buffer.from(TEXT.join('\r\n')));
    expect(list).toEqual({ quarterEnd: '2026-06-30', rows: READ });
  });

  test('only a description of exactly CALL or PUT is an option class (rule 3.2)', () => {
    const rows = listRowsOfText(
      [
        ...TEXT,
        listLine('063679427', ['BANK MONTREAL', 'CALL NRGU 45']),
        listLine('02079K305', ['ALPHABET INC', 'CAP STK CL A'], { mark: '*', status: '*A*' }),
        listLine('00165C104', ['AMC ENTMT HLDGS INC', 'CL A COM'], { status: '*D*' }),
      ].join('\n'),
    );
    expect(rows?.map(({ kind, status }) => [kind, status])).toEqual([
      ['security', null],
      ['call', null],
      ['put', null],
      ['security', null],
      ['security', 'added'],
      ['security', 'deleted'],
    ]);
  });

  test('a web page in its place, or shifted columns, are refused (rule 3.2)', async () => {
    const refused = (text: string) => readSecurityList('13flist2026q1.txt', Buffer.from(text));
    await expect(refused('<html><body>Not here</body></html>')).rejects.toMatchObject({
      code: 'edgar_malformed',
    });
    await expect(refused('')).rejects.toThrow('not the fixed-width text edition');
    const shifted = listLine('037833101', ['APPLE INC', 'COM']);
    await expect(refused(shifted)).rejects.toThrow('fail their check digits');
  });
});

describe('the printed edition of the official list', () => {
  const OTHERS: readonly PrintedRow[] = [
    ['084670702', '*', 'BERKSHIRE HATHAWAY INC DEL', 'CL B NEW', 'ADDED'],
  ];

  test('is read by its column headings, all pages (rule 3.2)', async () => {
    const list = await readSecurityList('13flist2018q3.pdf', listPdf([APPLE, OTHERS], { total: '4' }));
    expect(list.quarterEnd).toBe('2018-09-30');
    expect(list.rows.slice(0, 3)).toEqual(READ);
    expect(list.rows[3]).toMatchObject({ cusip: '084670702', description: 'CL B NEW', status: 'added' });
  });

  test('is refused when its total says that rows are missing, or when it covers another quarter', async () => {
    const read = (name: string, pdf: Buffer) => readSecurityList(name, pdf);
    await expect(read('13flist2018q3.pdf', listPdf([APPLE], { total: '17,805' }))).rejects.toThrow(
      '3 rows, it counts 17805',
    );
    await expect(read('13flist2018q4.pdf', listPdf([APPLE], { total: '3' }))).rejects.toThrow(
      'of 2018-09-30',
    );
  });

  test('a cut file, or one that is not a list, is a typed error', async () => {
    const whole = listPdf([APPLE], { total: '3' });
    for (const bytes of [whole.subarray(0, 700), Buffer.from('%PDF-1.6 and nothing')]) {
      await expect(readSecurityList('13flist2018q3.pdf', bytes)).rejects.toMatchObject({
        code: 'edgar_malformed',
      });
    }
    await expect(readSecurityList('list.pdf', whole)).rejects.toThrow('has no quarter');
  });
});

test('the name of a list gives its quarter, and no other name is ever requested', () => {
  expect(securityListNames(quarterOfSecurityList('13flist2026q2-txt.txt') ?? ('' as never))).toEqual([
    '13flist2026q2.txt',
    '13flist2026q2-txt.txt',
    '13flist2026q2.pdf',
  ]);
  expect(quarterOfSecurityList('13flist2026q5.txt')).toBeNull();
  expect(() => securityListPath('../13flist2026q2.txt')).toThrow('official list');
});
