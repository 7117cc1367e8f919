import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { ownFolder } from '../../../test/own-folder.ts';
import { MAX_ROWS } from '../../forms/parse-error.ts';
import { openArchive } from './archive.ts';
import { readDataSet } from './filings.ts';

const ACCESSION = '0000000001-18-000001';
const HEAD = 'ACCESSION_NUMBER\tX\n';
const FORMAT = { tables: { SMALL: ['X'], LARGE: ['X'] }, streamed: 'LARGE' } as unknown as Parameters<
  typeof readDataSet
>[1];

const folder = ownFolder('bounds', beforeEach);

const linesOf = (count: number): string => HEAD + `${ACCESSION}\t1\n`.repeat(count);

async function read(small: string, large: string): Promise<number> {
  writeFileSync(join(folder, 'SMALL.tsv'), small);
  writeFileSync(join(folder, 'LARGE.tsv'), large);
  let filings = 0;
  for await (const unit of (await readDataSet(await openArchive(folder), FORMAT)).units())
    filings += unit.length;
  return filings;
}

test('a filing has as many lines as any filing may have, in a table that is kept and in the streamed one', async () => {
  expect(await read(linesOf(1), linesOf(MAX_ROWS))).toBe(1);
  const tooMany = `${ACCESSION} has more lines than any filing`;
  await expect(read(linesOf(1), linesOf(MAX_ROWS + 1))).rejects.toThrow(tooMany);
  await expect(read(linesOf(MAX_ROWS + 1), linesOf(1))).rejects.toThrow(tooMany);
});

test('a table that inflates to a hundred times its bytes is refused', async () => {
  const zip = join(folder, 'bomb.zip');
  writeFileSync(zip, zipOf('SMALL.tsv', Buffer.from(linesOf(200_000))));
  const archive = await openArchive(zip);
  await expect(archive.open('SMALL')).rejects.toThrow('it inflates to more than allowed');
  await archive.close();
});

test('a table that would be kept whole and is larger than 256 MB is refused before it is read', async () => {
  writeFileSync(join(folder, 'SMALL.tsv'), HEAD);
  writeFileSync(join(folder, 'LARGE.tsv'), HEAD);
  const archive = await openArchive(folder);
  const tables = new Map(archive.tables).set('SMALL', 256 * 2 ** 20 + 1);
  await expect(readDataSet({ ...archive, tables }, FORMAT)).rejects.toThrow('larger than any such table');
});

/** A zip with one deflated entry. */
function zipOf(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00'),
    fields,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
