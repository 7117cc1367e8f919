import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Asset, readAsset } from '../assets.ts';

const own = (name: string): URL => new URL(name, import.meta.url);
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const CSS = 'text/css; charset=utf-8';

export const DOCS_STYLE = readAsset([own('docs.css')], '/docs/docs.css', CSS);

export const REFERENCE_STYLE = readAsset([own('reference.css')], '/docs/reference.css', CSS);

/** Starts the renderer, and repairs what it leaves inaccessible. */
export const REFERENCE_SCRIPT = readAsset(
  [own('reference-access.js'), own('reference.js')],
  '/docs/reference.js',
  JAVASCRIPT,
);

/**
 * The renderer in one file, as published. The image has it beside this file; a checkout has the development
 * package that it comes from. Null where neither is: nothing else needs that package.
 */
export const SCALAR = readRenderer();

function readRenderer(): Asset | null {
  const copied = own('scalar.js');
  const file = existsSync(copied) ? copied : packaged('@scalar/api-reference/browser/standalone.js');
  return file === null ? null : readAsset([file], '/docs/scalar.js', JAVASCRIPT);
}

function packaged(name: string): URL | null {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve(name));
  } catch {
    return null;
  }
}
