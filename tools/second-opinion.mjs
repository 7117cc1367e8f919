#!/usr/bin/env node
import '../scripts/require-node.mjs';
import { installWhenMissing } from '../scripts/install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { secondOpinion } = await import('../scripts/second-opinion/run.ts');
  process.exit(await secondOpinion(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
