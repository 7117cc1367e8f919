// A thread does not inherit the loader of TypeScript: it imports what was compiled, as a process does.
import { importCompiled } from '../compiled.mjs';

let imported;

/** Imported once: each time it looks whether a source has changed. */
function thread() {
  imported ??= importCompiled('src/bulk/thread.ts');
  return imported;
}

export async function runUnit(task) {
  return (await thread()).runUnit(task);
}

export async function reconcile(issuers) {
  return (await thread()).reconcile(issuers);
}

export async function refreshHeld(ciks) {
  return (await thread()).refreshHeld(ciks);
}
