import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BRIEF_SHAPE, requireShape } from './brief-shape.ts';
import { bundledBriefs } from './forge.sample.ts';

test('the bundled briefs have the shape, and Python has the same text', () => {
  for (const brief of bundledBriefs()) requireShape(brief);
  const python = new URL('../../../packages/python/src/tidemark_client/shape.py', import.meta.url);
  expect(readFileSync(python, 'utf8')).toContain(BRIEF_SHAPE);
});
