import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { CLIENT_SCHEMA, clientSource, generatedFrom } from './client.ts';

test('the types of the client match the description (else run: npm run client)', () => {
  expect(generatedFrom(readFileSync(CLIENT_SCHEMA, 'utf8'))).toBe(clientSource().hash);
});

test('both packages have the version of the API, and the client of the tests its package of HTTP', () => {
  const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const { version } = openApiDocument('https://tidemark.example')['info'] as { readonly version: string };
  const manifest = JSON.parse(read('packages/client/package.json'));
  expect(manifest.version).toBe(version);
  expect(read('packages/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
  expect(JSON.parse(read('package.json')).devDependencies).toMatchObject(manifest.dependencies);
});
