#!/usr/bin/env node
import '../scripts/require-node.mjs';
import { installWhenMissing } from '../scripts/install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { client } = await import('../scripts/contract/client.ts');
  process.exitCode = await client(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
