import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { VERSION } from './version.ts';

test('the release says the same as package.json', () => {
  expect(VERSION).toBe(manifest.version);
});
