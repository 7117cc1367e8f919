import { openPipeline, type PipelineUrls } from '../../jobs/worker/open.ts';
import { serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import type { Config } from '../../src/config.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { SANDBOX_ORGANIZATION, SANDBOX_WATCHLIST } from '../../src/sandbox/open.ts';
import { insertOrganization } from '../../src/store/account/organizations.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { exportLines } from './export.ts';
import { writeFolder } from './folder.ts';
import { runInOrder } from './in-order.ts';
import { AS_OF } from './market.ts';

/** The time of the organisation and its watchlist. It also replaces every time of the run. */
const BUILT_AT = `${AS_OF}T20:00:00.000Z`;

/**
 * Runs the whole pipeline over the synthetic filings and returns the lines of the data file. The
 * database that `config` names must be empty.
 */
export function buildSandbox(config: Config, urls: PipelineUrls): Promise<string> {
  return withTemporaryFolder('sandbox', (dir) => buildIn(dir, config, urls));
}

async function buildIn(dir: string, config: Config, urls: PipelineUrls): Promise<string> {
  await writeFolder(dir);
  const edgar = await serveLocalEdgar({ dir, asOf: AS_OF, isWhole: true });
  const settings = {
    asOf: AS_OF,
    edgarUrl: edgar.url,
    backfillFrom: requireIsoDate('1993-01-01'),
    briefDebounceMs: 0,
  };
  const pipeline = await openPipeline({ ...config, ...settings, logLevel: 'warn' }, urls);
  try {
    const { db } = pipeline.context;
    const from = Date.now();
    await runInOrder(pipeline.context);
    const { id, name } = SANDBOX_ORGANIZATION;
    await insertOrganization(db, { _id: id, name, epoch: 1, createdAt: BUILT_AT });
    await replaceWatchlist(db, id, SANDBOX_WATCHLIST, BUILT_AT);
    return await exportLines(db, { from, as: BUILT_AT });
  } finally {
    await pipeline.close();
    await edgar.close();
  }
}
