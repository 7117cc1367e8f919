import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { documentsIn } from './load.ts';

const DOCUMENTS = [{ _id: 1 }, { _id: 'two', text: 'x'.repeat(50) }, { _id: 3n }, {}];
const BYTES = Buffer.concat(DOCUMENTS.map((document) => BSON.serialize(document)));

async function* cut(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(bytes: AsyncIterable<Buffer>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const document of documentsIn(bytes))
    found.push(BSON.deserialize(document, { useBigInt64: true }));
  return found;
}

test('documents are found wherever the stream is cut', async () => {
  for (const length of [1, 2, 3, 4, 5, 7, 30, BYTES.length])
    expect(await read(cut(BYTES, length))).toEqual(DOCUMENTS);
  expect(await read(cut(Buffer.alloc(0), 1))).toEqual([]);
});

test('a stream that ends within a document is damaged', async () => {
  await expect(read(cut(BYTES.subarray(0, -1), 9))).rejects.toMatchObject({ code: 'backup_damaged' });
  await expect(read(cut(BYTES.subarray(0, 2), 9))).rejects.toMatchObject({ code: 'backup_damaged' });
});
