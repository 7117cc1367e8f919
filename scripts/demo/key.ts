import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

const run = promisify(execFile);
const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
type Environment = Readonly<Record<string, string | undefined>>;
const CREDITS = '10000';
const balanceReply = z.object({ data: z.object({ balance: z.int() }) });

/** Many times the price of a brief. */
const LOW = 1_000;

/**
 * The key of an earlier run if the API still knows it, with more credits when they run low; else a new
 * key of the organisation `demo`. A key is shown only once, so the home stores it.
 */
export async function demoKey(home: string, apiUrl: string, env: Environment): Promise<string> {
  const path = join(home, 'demo-key');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  const balance = kept === '' ? null : await balanceOf(kept, apiUrl);
  if (balance !== null) {
    if (balance < LOW) await tidemark(env, 'credits', 'grant');
    return kept;
  }
  const key = await tidemark(env, 'keys', 'create');
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Null when the API does not know the key. */
async function balanceOf(key: string, apiUrl: string): Promise<number | null> {
  const answer = await fetch(`${apiUrl}/v1/credits`, { headers: { Authorization: `Bearer ${key}` } });
  if (answer.status !== 200) {
    await answer.arrayBuffer();
    return null;
  }
  return balanceReply.parse(await answer.json()).data.balance;
}

async function tidemark(env: Environment, ...command: readonly [string, string]): Promise<string> {
  const args = [TIDEMARK, ...command, '--org', 'demo', '--credits', CREDITS];
  try {
    const { stdout } = await run(process.execPath, args, { env });
    return stdout.trim();
  } catch (cause) {
    const message = (cause as { stderr?: string }).stderr?.trim() ?? String(cause);
    throw new AppError('demo_key', `tidemark ${command.join(' ')} failed: ${message}`, { cause });
  }
}
