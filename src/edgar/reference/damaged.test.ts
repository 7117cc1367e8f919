import { describe, expect, test } from 'vitest';
import { corpusFile } from '../../../test/edgar/fixture.ts';
import { runs } from '../../../test/runs.ts';
import { readFailsFile } from './fails.ts';
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

  test('cut at any place', { tags: ['property'] }, async () => {
    // In the long tests at every kilobyte.
    const cuts = runs(GOOD.length >> 10);
    for (let cut = 0; cut < cuts; cut += 1)
      await expect(
        readFailsFile(GOOD.subarray(0, Math.floor((GOOD.length * cut) / cuts))),
      ).rejects.toMatchObject({ code: 'edgar_malformed' });
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

  test('one line of 128 MB', { tags: ['long'] }, async () => {
    const line = Buffer.concat([Buffer.from(HEADER), Buffer.alloc(128 * 2 ** 20, 'x')]);
    expect(await refused(zipOf(NAME, line))).toBeLessThan(BOUND_MS);
  });

  test('more rows than a quarter of a million', async () => {
    const rows = Buffer.concat([Buffer.from(HEADER), Buffer.from(ROW.repeat(250_001))]);
    await expect(readFailsFile(zipOf(NAME, rows))).rejects.toThrow('more rows');
  });

  test('more bytes than any real file has', async () => {
    const bytes = Buffer.alloc(33 * 2 ** 20);
    await expect(readFailsFile(bytes)).rejects.toThrow('more than any');
    expect(() => readSecurityList('13flist2026q2.txt', bytes)).toThrow('more than any');
  });
});
