// The suite imports fs.globSync, which Node has from 22 on, for a command that is not used here.
import * as fs from 'node:fs';
import { register } from 'node:module';

const SHIM = `data:text/javascript,${encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined;",
)}`;
const HOOK = `export async function resolve(name, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
  return isSuite && name === 'fs' ? { url: ${JSON.stringify(SHIM)}, shortCircuit: true } : next(name, context);
}`;

if (!('globSync' in fs)) register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
