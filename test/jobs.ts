import { openPipeline, type Pipeline, type PipelineUrls } from '../jobs/worker/open.ts';
import { openParsePool, type ParsePool } from '../jobs/worker/parse-pool.ts';
import type { Config } from '../src/config.ts';
import type { World } from './world.ts';

/** One for all pipelines of a worker of vitest: a thread takes most of a second of CPU to load what parses. */
let parser: ParsePool | null = null;

/** What a worker opens, but with threads that the pipelines of this process share. They end with it. */
export async function openSharedThreads(config: Config, urls: PipelineUrls): Promise<Pipeline> {
  const pipeline = await openPipeline(config, urls);
  parser ??= openParsePool(2, { idleMs: Number.POSITIVE_INFINITY });
  return { ...pipeline, context: { ...pipeline.context, parser } };
}

/** What jobs work with in a world, where no EDGAR answers. The test calls the jobs. */
export function openJobs({ config, urls }: World, changes: Partial<Config> = {}): Promise<Pipeline> {
  return openSharedThreads({ ...config, edgarUrl: 'http://127.0.0.1:9', ...changes }, urls);
}
