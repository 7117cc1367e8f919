import { AppError } from '../errors.ts';

/** The BSON documents of a stream of bytes, one after another; each begins with its length. Throws `backup_damaged`. */
export async function* documentsIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = Buffer.alloc(0);
  let pieces: Buffer[] = [];
  let have = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    have += piece.length;
    const needed = left.length >= 4 ? left.readInt32LE(0) : 4;
    if (left.length + have < needed) continue;
    left = Buffer.concat([left, ...pieces]);
    pieces = [];
    have = 0;
    while (left.length >= 4 && left.length >= left.readInt32LE(0)) {
      const length = left.readInt32LE(0);
      yield left.subarray(0, length);
      left = left.subarray(length);
    }
  }
  if (left.length + have > 0) throw new AppError('backup_damaged', 'the last document is cut off');
}
