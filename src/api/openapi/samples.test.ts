import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../endpoints/index.ts';
import { openApiDocument } from './document.ts';
import { samplesOf } from './samples.ts';

const SITE_URL = 'https://example.test';

test.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s: its samples make the example call in three languages, with the key only from the environment',
  (_, endpoint) => {
    const samples = samplesOf(endpoint, SITE_URL);
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
    for (const { source } of samples) {
      expect(source).toContain('TIDEMARK_KEY');
      expect(source).not.toMatch(/undefined|\[object/);
    }
    const [curl, typescript] = samples;
    const called = new URL(/"(https:[^"]+)"/.exec(curl?.source ?? '')?.[1] ?? '');
    const shape = new RegExp(`^/v1${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`);
    expect(called.pathname).toMatch(shape);
    expect(() => transformSync(typescript?.source ?? '', { loader: 'ts', format: 'esm' })).not.toThrow();
  },
);

test('every operation of the description has the samples', () => {
  const { paths } = openApiDocument(SITE_URL) as { paths: Record<string, { get: Record<string, unknown> }> };
  for (const endpoint of ENDPOINTS) {
    expect(paths[endpoint.path]?.get['x-codeSamples']).toEqual(samplesOf(endpoint, SITE_URL));
  }
});
