#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { provenWords, readOnce, unwrapped, verifyBrief, verifyEvidence } from './verify.ts';

const USAGE = `tidemark-verify [--id ID] BRIEF [EVIDENCE…]
Recomputes every id of a brief ("-" is stdin), finds contradictions in it, and compares it with pages of its
evidence and with the id that it must have.
Exit code 0: all match; 1: one differs; 2: a file cannot be read.`;

function readJson(file: string): unknown {
  return readOnce(readFileSync(file === '-' ? 0 : file, 'utf8'));
}

function verify(file: string, pageFiles: readonly string[], id: string | undefined): number {
  const brief = readJson(file);
  const { problems } = verifyBrief(brief, id);
  const evidence = pageFiles.length === 0 ? [] : verifyEvidence(brief, pageFiles.map(readJson)).problems;
  const found = [...problems, ...evidence];
  for (const { what, expected, actual } of found) {
    process.stderr.write(`${what}: expected ${expected}, found ${actual}\n`);
  }
  const own = (unwrapped(brief) as { readonly brief_id?: string } | null)?.brief_id ?? '';
  process.stdout.write(found.length === 0 ? `${provenWords(own, id !== undefined)}\n` : 'differs\n');
  return found.length === 0 ? 0 : 1;
}

function main(): number {
  try {
    const options = { id: { type: 'string' }, help: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [file, ...pageFiles] = positionals;
    if (file !== undefined && !values.help) return verify(file, pageFiles, values.id);
    process.stderr.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

process.exitCode = main();
