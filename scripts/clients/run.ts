import { loadConfig } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { serveCorpus } from '../corpus/serve.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { curlRequests } from './curl.ts';
import { inspector, postman } from './npm.ts';
import { generatedClient, pythonAgent } from './others.ts';
import { pythonPackage } from './python.ts';
import { type Check, runStep } from './step.ts';
import { typescriptPackage } from './typescript.ts';

const CHECKS: Readonly<Record<string, Check>> = {
  curl: curlRequests,
  typescript: typescriptPackage,
  python: pythonPackage,
  'openapi-python-client': generatedClient,
  'mcp-python': pythonAgent,
  'mcp-inspector': inspector,
  postman,
};

/** More than all clients spend. */
const CREDITS = 10_000;

/**
 * Serves the bundled filings and uses them through each client as its users do: installed in an empty
 * place, run by a plain interpreter. The exit code is 1 when one failed.
 * @param names of the checks to run; without names all of them
 */
export async function clients(names: readonly string[]): Promise<number> {
  const chosen = names.length === 0 ? Object.keys(CHECKS) : names;
  const unknown = chosen.filter((name) => !Object.hasOwn(CHECKS, name));
  if (unknown.length > 0) {
    throw new UsageError(`${unknown.join(', ')}: the clients are ${Object.keys(CHECKS).join(', ')}`);
  }
  return withTemporaryFolder('clients', async (folder) => {
    const home = process.env['TIDEMARK_HOME'] || folder;
    const served = await serveCorpus(loadConfig({ ...process.env, TIDEMARK_HOME: home, LOG_LEVEL: 'error' }));
    try {
      const key = await served.newKey('Clients', CREDITS);
      let failed = 0;
      for (const name of chosen) {
        const check = CHECKS[name];
        if (check !== undefined && !(await runStep(name, check, { origin: served.origin, key }))) failed += 1;
      }
      console.log(`${chosen.length - failed} clients passed, ${failed} failed`);
      return failed === 0 ? 0 : 1;
    } finally {
      await served.close();
    }
  });
}
