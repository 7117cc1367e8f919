import { readdirSync } from 'node:fs';
import { filingBytes, outcomeOf } from '../../filings/read.ts';

/** Every bundled filing that can be read, by its path in `test/filings`. */
export const READABLE: readonly string[] = ['13f', 'form-4']
  .flatMap((folder) =>
    readdirSync(new URL(`../../filings/${folder}/`, import.meta.url))
      .filter((name) => /\.(?:txt|nc)$/.test(name))
      .map((name) => `${folder}/${name}`),
  )
  .filter((name) => typeof outcomeOf(filingBytes(name)) !== 'string');

/** Where the container of a filing ends: what stands behind it is no part of it. */
export function endOf(bytes: Uint8Array): number {
  return Buffer.from(bytes).toString('latin1').trimEnd().length;
}
