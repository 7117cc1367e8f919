#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { verifyBrief, verifyEvidence } from './verify.ts';

const USAGE = `tidemark-verify BRIEF [EVIDENCE…]
Recomputes every id of a brief ("-" is stdin), and holds pages of its evidence against it.
Exit code 0: all match; 1: one differs; 2: a file cannot be read.`;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
}

function verify(file: string, pageFiles: readonly string[]): number {
  const brief = readJson(file);
  const { problems } = verifyBrief(brief);
  const evidence = pageFiles.length === 0 ? [] : verifyEvidence(brief, pageFiles.map(readJson)).problems;
  const found = [...problems, ...evidence];
  for (const { what, expected, actual } of found) {
    process.stderr.write(`${what}: expected ${expected}, found ${actual}\n`);
  }
  process.stdout.write(found.length === 0 ? 'ok: every id is the hash of its content\n' : 'differs\n');
  return found.length === 0 ? 0 : 1;
}

function main([file, ...pageFiles]: readonly string[]): number {
  if (file === undefined || file.startsWith('--')) {
    process.stderr.write(`${USAGE}\n`);
    return file === '--help' ? 0 : 2;
  }
  try {
    return verify(file, pageFiles);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

process.exitCode = main(process.argv.slice(2));
