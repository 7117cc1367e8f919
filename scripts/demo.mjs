#!/usr/bin/env node
import './require-node.mjs';
import { installWhenMissing } from './install.mjs';
import { loadEnv } from './load-env.mjs';

installWhenMissing({ development: false });
try {
  loadEnv();
  await import('../src/typescript.mjs');
  const { demo } = await import('./demo/demo.ts');
  // Connections of the calls are kept alive for some seconds and would delay the exit.
  process.exit(await demo(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
