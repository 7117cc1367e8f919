/**
 * How often a test with the tag `property` tries: a fifth in `npm test`, all in `npm run test:long`, which sets the
 * variable.
 */
export function runs(all: number): number {
  return process.env['TIDEMARK_TEST_LONG'] === '1' ? all : Math.ceil(all / 5);
}
