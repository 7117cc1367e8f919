import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLIENT_SCHEMA, clientSource, generatedFrom } from './client.ts';

test('the types of the client match the description (else run: node tools/client.mjs)', () => {
  expect(generatedFrom(readFileSync(CLIENT_SCHEMA, 'utf8'))).toBe(clientSource().hash);
});
