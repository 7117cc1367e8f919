import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AppError } from '../../src/errors.ts';

const run = promisify(execFile);
const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
type Environment = Readonly<Record<string, string | undefined>>;
const CREDITS = '10000';

/**
 * The key of an earlier run when the API still knows it, else a new one of the organisation `demo`.
 * A key is shown once only, so the home keeps it.
 */
export async function demoKey(home: string, apiUrl: string, env: Environment): Promise<string> {
  const path = join(home, 'demo-key');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (kept !== '' && (await isKnown(kept, apiUrl))) return kept;
  const key = await createKey(env);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

async function isKnown(key: string, apiUrl: string): Promise<boolean> {
  const answer = await fetch(`${apiUrl}/v1/credits`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status !== 401;
}

async function createKey(env: Environment): Promise<string> {
  const args = [TIDEMARK, 'keys', 'create', '--org', 'demo', '--credits', CREDITS];
  try {
    const { stdout } = await run(process.execPath, args, { env });
    return stdout.trim();
  } catch (cause) {
    const said = (cause as { stderr?: string }).stderr?.trim() ?? String(cause);
    throw new AppError('demo_key', `tidemark keys create failed: ${said}`, { cause });
  }
}
