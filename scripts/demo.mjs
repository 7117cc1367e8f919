#!/usr/bin/env node
import './require-node.mjs';
import { importCompiled } from '../src/compiled.mjs';
import { installWhenMissing } from './install.mjs';
import { loadEnv } from './load-env.mjs';

installWhenMissing({ development: false });
try {
  loadEnv();
  const { demo } = await importCompiled('scripts/demo/demo.ts');
  // Connections of the calls are kept alive for some seconds and would delay the exit.
  process.exit(await demo(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
