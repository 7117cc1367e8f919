import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadConfig } from '../src/config.ts';
import { openServices } from '../src/embedded/open.ts';
import { DATA_FILE, digestOfData } from '../src/sandbox/data.ts';
import { buildSandbox } from './sandbox/build.ts';
import { writeFolder } from './sandbox/folder.ts';

/**
 * `npm run sandbox` builds `src/sandbox/data.jsonl.gz`. `npm run sandbox -- DIR` only writes the
 * synthetic filings into DIR.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) await build();
else await writeFolder(folder);

async function build(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-sandbox-home-'));
  const config = loadConfig({ TIDEMARK_HOME: home, DOCKER: 'never' });
  const services = await openServices(config, (line) => console.error(line));
  try {
    const lines = await buildSandbox(config, services);
    const gzip = gzipSync(lines, { level: 9 });
    await writeFile(DATA_FILE, gzip);
    console.error(
      `${lines.split('\n').length - 1} documents, ${gzip.length} bytes, version ${digestOfData(lines)}`,
    );
  } finally {
    await services.release();
    await rm(home, { recursive: true, force: true });
  }
}
