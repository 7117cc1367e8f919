/** Whether this is `npm run test:long`, which sets the variable. */
export const IS_TEST_LONG = process.env['TIDEMARK_TEST_LONG'] === '1';

/** How often a test with the tag `property` tries: a tenth in `npm test`, all in `npm run test:long`. */
export function runs(all: number): number {
  return IS_TEST_LONG ? all : Math.ceil(all / 10);
}
