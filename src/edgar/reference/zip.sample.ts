import { crc32, deflateRawSync } from 'node:zlib';

type Declared = { readonly size?: number };

/** A zip of one compressed file, which may declare another size than it has. */
export function zipOf(name: string, content: Buffer, { size = content.length }: Declared = {}): Buffer {
  const compressed = deflateRawSync(content, { level: 1 });
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20);
  head.writeUInt16LE(8, 4);
  head.writeUInt16LE(0x21, 8);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(compressed.length, 14);
  head.writeUInt32LE(size, 18);
  head.writeUInt16LE(name.length, 22);
  const file = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), compressed]);
  const directory = Buffer.concat([
    ...[Buffer.from('PK\x01\x02\x14\x00'), head, Buffer.alloc(14), Buffer.from(name)],
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(file.length, 12);
  return Buffer.concat([file, directory, Buffer.from('PK\x05\x06'), end]);
}
