import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pythonVenv } from '../../scripts/contract/program.ts';
import { bundledBriefs, forgeriesOf, withOwnIds } from '../../src/domain/brief/forge.sample.ts';
import { verifyBrief } from '../../src/domain/brief/verify.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/python/', import.meta.url));

/** One answer a line. The verifier alone, without what the client needs for HTTP. */
const PROGRAM = `
import json, sys, types
package = types.ModuleType("tidemark_client")
package.__path__ = [sys.argv[1]]
sys.modules["tidemark_client"] = package
from tidemark_client.verify import verify
for line in sys.stdin:
    print("differs" if verify(json.loads(line)) else "ok")
`;

async function pythonAnswers(lines: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-verify-'));
  try {
    const pinned = readFileSync(join(PACKAGE, 'requirements.txt'), 'utf8');
    const [rfc8785 = ''] = /^rfc8785==.*(?:\n {4}.*)*/m.exec(pinned) ?? [];
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(requirements, `${rfc8785}\n`);
    const python = join(
      await pythonVenv('verify', requirements, 'rfc8785 for the Python verifier'),
      'python',
    );
    const args = ['-c', PROGRAM, join(PACKAGE, 'src', 'tidemark_client')];
    const options = { input: lines.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { stdout, stderr } = spawnSync(python, args, options);
    if (stderr !== '') throw new Error(stderr);
    return stdout.trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('TypeScript and Python answer the same of ten thousand forged briefs', {
  tags: ['long'],
  timeout: 600_000,
}, async () => {
  const [count, seed] = [10_000, 4];
  const forged = forgeriesOf(bundledBriefs(), count, seed);
  const lines = forged.map(({ json }) => withOwnIds(json));
  const own = lines.map((line) => (verifyBrief(JSON.parse(line)).ok ? 'ok' : 'differs'));
  const python = await pythonAnswers(lines);
  expect(python).toHaveLength(count);
  expect(forged.filter((_, at) => python[at] !== own[at]).map(({ member }) => member)).toEqual([]);
  expect(new Set(own).size).toBe(2);
});
