import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Writes the files of a folder into a zip, uncompressed: the SEC's data sets are zips. */
export async function zipFolder(dir: string, zip: string): Promise<void> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const names = await readdir(dir);
  for (const name of names) {
    const bytes = await readFile(join(dir, name));
    const head = headOf(name, bytes);
    directory.push(
      u32(0x02014b50),
      u16(20),
      head,
      u16(0),
      u16(0),
      u16(0),
      u32(0),
      u32(at),
      Buffer.from(name),
    );
    const file = Buffer.concat([u32(0x04034b50), head, Buffer.from(name), bytes]);
    files.push(file);
    at += file.length;
  }
  const listed = Buffer.concat(directory);
  const count = u16(names.length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(listed.length), u32(at), u16(0)];
  await writeFile(zip, Buffer.concat([...files, listed, ...end]));
}

/** The fields that a file has in front of its bytes and in the directory alike. */
function headOf(name: string, bytes: Buffer): Buffer {
  const size = u32(bytes.length);
  const [time, day] = [u16(0), u16(0x21)];
  return Buffer.concat([
    u16(20),
    u16(0),
    u16(0),
    time,
    day,
    u32(crc32(bytes)),
    size,
    size,
    u16(name.length),
    u16(0),
  ]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
