import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { type Sample, samplesOf } from '../../src/api/openapi/samples.ts';
import { AppError } from '../../src/errors.ts';
import { runDocumented } from './documented.ts';
import { environmentOf, runOrThrow, type Service } from './step.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The documented request of each endpoint in one language, ready to run against the service. */
export function sampleRequests({ origin }: Service, lang: Sample['lang']): readonly string[] {
  return ENDPOINTS.flatMap((endpoint) =>
    samplesOf(endpoint, origin)
      .filter((sample) => sample.lang === lang)
      .map(({ source }) => source),
  );
}

/**
 * Runs every documented curl line in a shell, as pasted, and checks a brief offline as README says. Throws unless
 * each answer has its data.
 */
export async function curlRequests(service: Service, folder: string): Promise<void> {
  const running = { cwd: folder, env: environmentOf(service) };
  for (const source of sampleRequests(service, 'Shell')) {
    await runOrThrow('sh', ['-c', `${source} > answer.json`], running);
    const answer: unknown = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'));
    if (typeof answer !== 'object' || answer === null || !('data' in answer)) {
      throw new AppError('client_failed', `${source}\nanswers ${JSON.stringify(answer)}`);
    }
  }
  await runDocumented('curl', service, { folder });
  const brief = join(folder, 'brief.json');
  const { origin, key } = service;
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${origin}/v1/stocks/AAPL/capital-change-brief`, { headers });
  writeFileSync(brief, await answer.text());
  await runOrThrow('npx', ['--no', 'tidemark', 'brief', 'verify', brief], { cwd: ROOT });
}
