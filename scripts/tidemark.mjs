#!/usr/bin/env node
import './require-node.mjs';
import { importCompiled } from '../src/compiled.mjs';
import { loadEnv } from './load-env.mjs';

try {
  loadEnv();
  // In this process, not in a child, so that a signal to the command reaches the work.
  const { main } = await importCompiled('src/cli.ts');
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

function explain(error) {
  if (error?.code === 'ERR_MODULE_NOT_FOUND' && /Cannot find package/.test(error.message)) {
    return 'The dependencies are not installed. Run: npm ci';
  }
  return error instanceof Error ? error.message : String(error);
}
