// A thread does not inherit the loader of TypeScript: it registers its own, then imports what it runs.
import '../typescript.mjs';

export async function runUnit(task) {
  const thread = await import('./thread.ts');
  return thread.runUnit(task);
}

export async function reconcile(issuers) {
  const thread = await import('./thread.ts');
  return thread.reconcile(issuers);
}

export async function refreshHeld(ciks) {
  const thread = await import('./thread.ts');
  return thread.refreshHeld(ciks);
}
