import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { SCALAR } from './assets.ts';
import { referencePage } from './reference.ts';

test('without its renderer, as where development packages are not installed, the reference leads to the description and to a page of each endpoint', () => {
  expect(referencePage(SCALAR)).toContain('src="/docs/scalar.js?v=');
  const page = referencePage(null);
  expect(page).toContain('href="/openapi.json"');
  for (const { name } of ENDPOINTS) expect(page).toContain(`href="/docs/endpoints/${name}"`);
  expect(page).not.toContain('<script');
});
