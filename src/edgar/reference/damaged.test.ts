import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { corpusFile } from '../../../test/edgar/fixture.ts';
import { readBounded, whyEnded } from './bounded-read.ts';
import { readFailsFile } from './fails.ts';
import { listPdf } from './security-list.sample.ts';
import { readSecurityList } from './security-list.ts';
import { zipOf } from './zip.sample.ts';

const HEADER = 'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE\n';
const ROW = '20190102|037833100|AAPL|5|APPLE|152.29\n';
const NAME = 'cnsfails201901a.txt';
const TEXT = Buffer.from(`${HEADER}${ROW}Trailer record count 1\n`);
const GOOD = corpusFile('fails/cnsfails201901a.zip');

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.length >> 1; at < (copy.length >> 1) + 64; at += 1) copy[at] = 255 - (copy[at] ?? 0);
  return copy;
}

describe('a damaged fails-to-deliver zip is a typed error (rule 10.8)', () => {
  const cases: [string, Buffer][] = [
    ['cut in its data', GOOD.subarray(0, GOOD.length / 2)],
    ['cut in its directory', GOOD.subarray(0, -10)],
    ['64 bytes flipped in the middle', flipped(GOOD)],
    ['less than it declares', zipOf(NAME, TEXT, { size: TEXT.length + 100 })],
    ['more than it declares', zipOf(NAME, TEXT, { size: 10 })],
    ['its entry cut, the directory whole', Buffer.concat([GOOD.subarray(0, 1_000), GOOD.subarray(2_000)])],
    ['without an entry of that name', zipOf('other.txt', TEXT)],
    ['empty', Buffer.alloc(0)],
    ['nothing but its end', Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)])],
    ['a declared size beyond the cap', zipOf(NAME, TEXT, { size: 2 ** 31 })],
  ];
  test.each(cases)('%s', async (_, bytes) => {
    await expect(readFailsFile(bytes)).rejects.toMatchObject({ code: 'edgar_malformed' });
  });

  test('cut at every kilobyte', async () => {
    for (let end = 0; end < GOOD.length; end += 1_024)
      await expect(readFailsFile(GOOD.subarray(0, end))).rejects.toMatchObject({ code: 'edgar_malformed' });
  });

  test('the same file whole is read', async () => {
    expect(await readFailsFile(zipOf(NAME, TEXT))).toMatchObject([{ symbol: 'AAPL' }]);
  });
});

describe('a reference file that inflates without bound is refused at once', () => {
  const BOUND_MS = 5_000;
  const refused = async (bytes: Buffer): Promise<number> => {
    const started = performance.now();
    await expect(readFailsFile(bytes)).rejects.toMatchObject({ code: 'edgar_malformed' });
    return performance.now() - started;
  };

  test('one line of 128 MB', async () => {
    const line = Buffer.concat([Buffer.from(HEADER), Buffer.alloc(128 * 2 ** 20, 'x')]);
    expect(await refused(zipOf(NAME, line))).toBeLessThan(BOUND_MS);
  });

  test('more rows than half a million', async () => {
    const rows = Buffer.concat([Buffer.from(HEADER), Buffer.from(ROW.repeat(500_001))]);
    await expect(readFailsFile(zipOf(NAME, rows))).rejects.toThrow('more rows');
  });
});

describe('a printed list with another filter than one plain /FlateDecode is never opened (rule 10.8)', () => {
  const printed = (filter: string): Buffer =>
    Buffer.concat([
      Buffer.from(`%PDF-1.4\n1 0 obj\n<< ${filter} /Length 9 >>\nstream\n`),
      deflateSync(Buffer.alloc(64)),
      Buffer.from('\nendstream\nendobj\n'),
    ]);
  test.each([
    '/Filter [/ASCIIHexDecode /FlateDecode]',
    '/Filter[/FlateDecode/FlateDecode]',
    '/Filter /RunLengthDecode',
    '/Filter 5 0 R',
    '/Filter [5 0 R]',
    '/F#69lter /FlateDecode',
    '/Filter /Fl#61teDecode',
    '/F /AHx',
    '/F [ /Fl /Fl ]',
    '/#46 5 0 R',
    '/Filter\n/LZWDecode',
  ])('%s', async (filter) => {
    await expect(readSecurityList('13flist2018q3.pdf', printed(filter))).rejects.toThrow('a filter that');
  });

  test.each(['/Filter /FlateDecode', '/Filter[ /FlateDecode ]', '/F 4 /Length 3'])(
    '%s is none',
    async (f) => {
      await expect(readSecurityList('13flist2018q3.pdf', printed(f))).rejects.not.toThrow('a filter that');
    },
  );
});

describe('a reference file is read in a process of its own', () => {
  const file = { name: 'cnsfails201901a.zip', bytes: GOOD };

  test('which returns what it read, and an error as one', async () => {
    expect(await readBounded('fails', file)).toHaveLength(9_566);
    const pdf = listPdf([[['037833100', '*', 'APPLE INC', 'COM']]], { total: '1' });
    const list = await readBounded('list', { name: '13flist2018q3.pdf', bytes: pdf });
    expect(list).toMatchObject({ quarterEnd: '2018-09-30', rows: [{ cusip: '037833100' }] });
    const unnamed = readBounded('list', { name: 'list.pdf', bytes: pdf });
    await expect(unnamed).rejects.toMatchObject({ code: 'edgar_malformed' });
  });

  test('which is killed when it takes more memory or time than any real file', async () => {
    const small = readBounded('fails', file, { maxMemoryBytes: 48 * 2 ** 20 });
    await expect(small).rejects.toMatchObject({
      code: 'edgar_malformed',
      message: expect.stringContaining('too much memory'),
    });
    const short = readBounded('fails', file, { wallMs: 1 });
    await expect(short).rejects.toThrow('takes too long');
  });

  test('and whose end says what it was: its memory, or a signal of somebody else', () => {
    expect(whyEnded(null, 'SIGUSR2')).toContain('too much memory');
    expect(whyEnded(null, 'SIGKILL')).toBe('its reader ended with SIGKILL');
    expect(whyEnded(134, null)).toBe('its reader ended with 134');
  });

  test('and never started for more bytes than any real file has', async () => {
    const bytes = Buffer.alloc(33 * 2 ** 20);
    await expect(readBounded('fails', { ...file, bytes })).rejects.toThrow('more than any such file');
  });
});
