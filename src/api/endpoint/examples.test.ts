import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../endpoints/index.ts';
import { exampleOf } from './examples.ts';

describe.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
  'the example of %s',
  (name, endpoint) => {
    test('is a real answer of the documented shape', () => {
      expect(endpoint.output.safeParse(exampleOf(name)).error?.issues).toBeUndefined();
    });

    test('comes from valid arguments', () => {
      const values = Object.entries(endpoint.example).map(([key, value]) => [key, value]);
      expect(endpoint.read(Object.fromEntries(values))).toMatchObject({ ok: true });
    });
  },
);
