import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { type Listing, listings } from '../documents/listings.ts';
import { type Check, LISTINGS, type Run } from '../documents/register.ts';
import { environmentOf, type Service } from './step.ts';

/** Programs that a check runs listings with, where its packages are installed. */
type Place = { readonly folder: string; readonly python?: string };

/** What the documents call the service. */
const ORIGINS = /https:\/\/tidemark\.example|http:\/\/(?:127\.0\.0\.1|localhost):8080/g;
/** The reader's own key. */
const OWN_KEY = /^export TIDEMARK_KEY=.*\n/;
/** curl ends with code 0 for an error of the API, too. */
const REFUSED = /^\{"error":|"isError":true|"jsonrpc":"2.0"[^{]*"error"/;
/** More than a program needs for its first event. */
const LIMIT_MS = 60_000;

/** Runs every listing that is registered for the check as it stands. Throws when one fails. */
export async function runDocumented(check: Check, service: Service, place: Place): Promise<void> {
  for (const listing of listings(service.origin)) {
    const way = LISTINGS[listing.place]?.[listing.name];
    if (way === undefined || !('run' in way) || way.run !== check) continue;
    console.log(`${listing.place}: ${listing.name}`);
    const text = listing.text.replace(ORIGINS, service.origin).replace(OWN_KEY, '');
    await runListing({ ...listing, text }, way, { service, place });
  }
}

async function runListing(
  { text }: Listing,
  way: Run,
  { service, place: { folder, python = 'python3' } }: { readonly service: Service; readonly place: Place },
): Promise<void> {
  const file = join(folder, way.by === 'node' ? 'listing.mjs' : 'listing');
  writeFileSync(file, way.by === 'sh' ? `set -e\n${text}` : text);
  const program = { sh: 'sh', node: process.execPath, python }[way.by];
  const running = { cwd: folder, env: environmentOf(service) };
  const { code, said } = await runUntil([program, file], { ...running, says: way.says });
  const isRight = way.says === undefined ? code === 0 && !REFUSED.test(said) : way.says.test(said);
  if (!isRight) throw new AppError('client_failed', `${text}\nexit code ${code}:\n${said.slice(0, 2_000)}`);
}

type Running = { cwd: string; env: Readonly<Record<string, string>>; says: RegExp | undefined };

/** What a program printed, and its exit code; one that goes on without end is ended once it said what is awaited. */
function runUntil(
  [program, file]: readonly [string, string],
  { cwd, env, says }: Running,
): Promise<{ readonly code: number | null; readonly said: string }> {
  return new Promise((resolve, reject) => {
    let said = '';
    const all = { ...process.env, ...env, PYTHONUNBUFFERED: '1' };
    const child = spawn(program, [file], { cwd, env: all, stdio: ['ignore', 'pipe', 'inherit'] });
    const late = setTimeout(() => child.kill(), LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (says?.test(said)) child.kill();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, said });
    });
  });
}
