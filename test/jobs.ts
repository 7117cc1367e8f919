import { openPipeline, type Pipeline } from '../jobs/worker/open.ts';
import type { Config } from '../src/config.ts';
import type { World } from './world.ts';

/** What jobs work with in a world, where no EDGAR answers. The test calls the jobs. */
export function openJobs({ config, urls }: World, changes: Partial<Config> = {}): Promise<Pipeline> {
  return openPipeline({ ...config, edgarUrl: 'http://127.0.0.1:9', ...changes }, urls);
}
