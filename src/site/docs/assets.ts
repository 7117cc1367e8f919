import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readAsset } from '../assets.ts';

const own = (name: string): URL => new URL(name, import.meta.url);
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const CSS = 'text/css; charset=utf-8';

export const DOCS_STYLE = readAsset([own('docs.css')], '/docs/docs.css', CSS);

export const REFERENCE_STYLE = readAsset([own('reference.css')], '/docs/reference.css', CSS);

export const REFERENCE_SCRIPT = readAsset([own('reference.js')], '/docs/reference.js', JAVASCRIPT);

/** The renderer in one file, as published. */
export const SCALAR = readAsset(
  [
    new URL(
      'browser/standalone.js',
      pathToFileURL(createRequire(import.meta.url).resolve('@scalar/api-reference')),
    ),
  ],
  '/docs/scalar.js',
  JAVASCRIPT,
);
