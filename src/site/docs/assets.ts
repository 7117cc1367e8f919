import { readAsset } from '../assets.ts';

/** The search of the reference. */
export const REFERENCE_SCRIPT = readAsset(
  [new URL('reference.js', import.meta.url)],
  '/docs/reference.js',
  'text/javascript; charset=utf-8',
);
