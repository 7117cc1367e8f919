import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeDataSet } from '../../../test/bulk/data-set-folder.ts';
import { filingBytes, thirteenFOf } from '../../../test/filings/read.ts';
import { thirteenFDataSet } from '../../forms/form-13f/data-set.ts';
import { openArchive } from './archive.ts';
import { readDataSet } from './filings.ts';

/** Berkshire for 2023-03-31, whose cover lists seven positions on lines of their own. */
const FILE = filingBytes('../../demo/quarter/filings/0000950123-23-005270.txt');
const document = thirteenFOf(FILE);
const text = /<additionalInformation>([^<]*)</.exec(new TextDecoder().decode(FILE))?.[1] ?? '';

async function readWith(information: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-additional-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeDataSet(folder, [document], information);
  const { columns, strays, units } = await readDataSet(await openArchive(folder), thirteenFDataSet);
  for await (const filings of units()) {
    const [filing] = filings.map((one) => thirteenFDataSet.read(one, columns));
    if (filing?.kind === 'thirteen_f') return { filing, strays };
  }
  throw new Error('no 13F in the data set');
}

test.each([
  ['a blank for each end of a line, as the SEC prints them', text.replace(/\r?\n/g, ' ')],
  ['two blanks for it', text.replace(/\r?\n/g, '  ')],
])(
  'what a cover of several lines took in is read from a data set as from the document: %s (rule 2.12)',
  async (_, information) => {
    expect(text.split('\n').length).toBeGreaterThan(7);
    const { filing, strays } = await readWith(information);
    expect(filing.takenIn).toEqual(document.takenIn);
    expect(strays).toEqual([]);
  },
);

test('where the lines of a cover are cut apart, its list is not believed and the import says so (rule 2.12)', async () => {
  const { filing, strays } = await readWith(text);
  expect(filing.takenIn).toBeUndefined();
  expect(filing.rows).toHaveLength(document.rows.length);
  expect(strays).toHaveLength(7);
});
