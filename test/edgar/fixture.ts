import { readFileSync } from 'node:fs';

/** A recorded listing of the SEC; `fixtures/PROVENANCE.tsv` names the source of each. */
export function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
}

/** A file of the bundled corpus. */
export function corpusFile(path: string): Buffer {
  return readFileSync(new URL(`../../demo/corpus/${path}`, import.meta.url));
}
