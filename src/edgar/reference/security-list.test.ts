import { describe, expect, test } from 'vitest';
import { quarterOfSecurityList, securityListNames, securityListPath } from '../urls.ts';
import { listLine } from './security-list.sample.ts';
import { listRowsOfText, readSecurityList } from './security-list.ts';

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
    const refused = async (text: string) => readSecurityList('13flist2026q1.txt', Buffer.from(text));
    await expect(refused('<html><body>Not here</body></html>')).rejects.toMatchObject({
      code: 'edgar_malformed',
    });
    await expect(refused('')).rejects.toThrow('not the fixed-width text edition');
    const shifted = listLine('037833101', ['APPLE INC', 'COM']);
    await expect(refused(shifted)).rejects.toThrow('fail their check digits');
  });
});

test('the name of a list gives its quarter, and no other name is ever requested', () => {
  expect(securityListNames(quarterOfSecurityList('13flist2026q2-txt.txt') ?? ('' as never))).toEqual([
    '13flist2026q2.txt',
    '13flist2026q2-txt.txt',
  ]);
  expect(quarterOfSecurityList('13flist2026q5.txt')).toBeNull();
  expect(() => securityListPath('../13flist2026q2.txt')).toThrow('official list');
});
