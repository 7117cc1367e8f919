import { expect, test } from 'vitest';
import { SCALAR } from './assets.ts';
import { referencePage } from './reference.ts';

test('without its renderer, as where development packages are not installed, the reference links to the description', () => {
  expect(referencePage(SCALAR)).toContain('src="/docs/scalar.js?v=');
  const page = referencePage(null);
  expect(page).toContain('href="/openapi.json"');
  expect(page).not.toContain('<script');
});
