import { readAsset } from '../assets.ts';

const own = (name: string): URL => new URL(name, import.meta.url);

export const DOCS_STYLE = readAsset([own('docs.css')], '/docs/docs.css', 'text/css; charset=utf-8');

/** The search of the reference. */
export const REFERENCE_SCRIPT = readAsset(
  [own('reference.js')],
  '/docs/reference.js',
  'text/javascript; charset=utf-8',
);
