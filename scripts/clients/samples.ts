import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { type Sample, samplesOf } from '../../src/api/openapi/samples.ts';
import { AppError } from '../../src/errors.ts';
import { environmentOf, runOrThrow, type Service } from './step.ts';

/** The documented request of each endpoint in one language, ready to run against the service. */
export function sampleRequests({ origin }: Service, lang: Sample['lang']): readonly string[] {
  return ENDPOINTS.flatMap((endpoint) =>
    samplesOf(endpoint, origin)
      .filter((sample) => sample.lang === lang)
      .map(({ source }) => source),
  );
}

/** Runs every documented curl line in a shell, as pasted. Throws unless each answer has its data. */
export async function curlRequests(service: Service, folder: string): Promise<void> {
  const running = { cwd: folder, env: environmentOf(service) };
  for (const source of sampleRequests(service, 'Shell')) {
    await runOrThrow('sh', ['-c', `${source} > answer.json`], running);
    const answer: unknown = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'));
    if (typeof answer !== 'object' || answer === null || !('data' in answer)) {
      throw new AppError('client_failed', `${source}\nanswers ${JSON.stringify(answer)}`);
    }
  }
}
