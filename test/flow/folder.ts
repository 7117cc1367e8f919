import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { groupBy } from '../../src/domain/group.ts';
import { unzipOne } from '../../src/edgar/reference/fails.ts';

const CORPUS = new URL('../../demo/corpus/', import.meta.url);

/** A folder of submissions of its own, for a local EDGAR to serve. */
export type Folder = {
  readonly dir: string;
  readonly add: (name: string, content: string | Uint8Array) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Selection = {
  /** Accessions of the bundled corpus. */
  readonly accessions: readonly string[];
  /** Whole reference files, or the real rows of these symbols only: those take seconds less to import. */
  readonly symbols: 'all' | readonly string[];
};

/** Copies a selection of the bundled corpus: real filings, in a folder that a test may add to. */
export async function openFolder({ accessions, symbols }: Selection): Promise<Folder> {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-flow-'));
  for (const accession of accessions) {
    await copyFile(await corpusPath(accession), join(dir, `${accession}.txt`));
  }
  if (symbols === 'all') await copyReference(dir);
  else await extractReference(dir, symbols);
  return {
    dir,
    add: async (name, content) => {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), content);
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The text of a filing of the bundled corpus, one character a byte. */
export async function corpusText(accession: string): Promise<string> {
  return readFile(await corpusPath(accession), 'latin1');
}

async function corpusPath(accession: string): Promise<string> {
  const table = await readFile(new URL('PROVENANCE.tsv', CORPUS), 'utf8');
  const name = table
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .find((path) => path.endsWith(`/${accession}.txt`));
  if (name === undefined) throw new Error(`${accession} is not in the bundled corpus`);
  return fileURLToPath(new URL(name, CORPUS));
}

const FAILS = ['cnsfails201901a', 'cnsfails201912b'];

async function copyReference(dir: string): Promise<void> {
  for (const name of [...FAILS.map((file) => `fails/${file}.zip`), 'company_tickers.json']) {
    const to = join(dir, name);
    await mkdir(dirname(to), { recursive: true });
    await copyFile(new URL(name, CORPUS), to);
  }
}

type Fails = { readonly name: string; readonly head: string; readonly rows: ReadonlyMap<string, string[]> };
let fails: Promise<readonly Fails[]> | null = null;

/** Once for all folders of this process. */
async function failsOf(name: string): Promise<Fails> {
  const zip = await readFile(new URL(`fails/${name}.zip`, CORPUS));
  const [head = '', ...lines] = (await text(await unzipOne(zip, /\.txt$/))).split('\n');
  return { name, head, rows: groupBy(lines, (row) => row.split('|')[2] ?? '') };
}

async function extractReference(dir: string, symbols: readonly string[]): Promise<void> {
  fails ??= Promise.all(FAILS.map(failsOf));
  for (const { name, head, rows } of await fails) {
    const kept = symbols.flatMap((symbol) => rows.get(symbol) ?? []);
    await writeFile(
      join(dir, `${name}.txt`),
      [head, ...kept, `Trailer record count ${kept.length}`, ''].join('\n'),
    );
  }
  const companies = JSON.parse(await readFile(new URL('company_tickers.json', CORPUS), 'utf8')) as object;
  const wanted = new Set(symbols);
  const kept = Object.entries(companies).filter(([, { ticker }]) => wanted.has(ticker));
  await writeFile(join(dir, 'company_tickers.json'), JSON.stringify(Object.fromEntries(kept)));
}
