import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { withServices } from '../src/cli/session.ts';
import { loadConfig } from '../src/config.ts';
import { sha256Hex } from '../src/domain/canonical.ts';
import { DATA_FILE } from '../src/sandbox/data.ts';
import { buildSandbox } from './sandbox/build.ts';
import { writeFolder } from './sandbox/folder.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run sandbox` builds `src/sandbox/data.jsonl.gz`. `npm run sandbox -- DIR` only writes the
 * synthetic filings into DIR.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) await build();
else await writeFolder(folder);

async function build(): Promise<void> {
  const lines = await withTemporaryFolder('sandbox-home', async (home) => {
    const config = loadConfig({ TIDEMARK_HOME: home, DOCKER: 'never' });
    return withServices(config, (services) => buildSandbox(config, services));
  });
  const gzip = gzipSync(lines, { level: 9 });
  await writeFile(DATA_FILE, gzip);
  console.error(
    `${lines.split('\n').length - 1} documents, ${gzip.length} bytes, version ${sha256Hex(lines)}`,
  );
}
