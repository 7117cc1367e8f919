import { openServices } from '../../packages/embedded/open.ts';
import { say } from '../../src/cli/session.ts';
import { loadConfig } from '../../src/config.ts';
import { type Call, callsOf, make } from './calls.ts';
import { readOptions } from './options.ts';
import { openProcesses, stopLeftBehind } from './processes.ts';
import { type Outcome, runDemo } from './run.ts';
import { choosePorts } from './setting.ts';

/**
 * `npm run demo`: runs everything as separate processes over the bundled filings, until Ctrl-C. With
 * `--once` it makes the calls itself, and the last line is the summary. Returns the exit code. Results go
 * to stdout, progress to stderr. Throws errors with a message for a person, like `tidemark`.
 */
export async function demo(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, process.env);
  if (options === null) return 0;
  const stopped = untilStopSignal();
  const config = loadConfig({ ...process.env, TIDEMARK_AS_OF: options.asOf });
  await stopLeftBehind(config.home);
  // A busy port is said before anything is installed or started.
  await choosePorts(config, process.env);
  const services = await openServices(config, say);
  const processes = openProcesses(config.home);
  const lines: string[] = [];
  let code = 0;
  try {
    const outcome = await Promise.race([runDemo(config, services, processes), processes.watch, stopped]);
    if (outcome === 'stopped') return 130;
    const calls = callsOf(outcome.served);
    if (options.once) lines.push(await brief(calls), JSON.stringify(outcome.summary));
    else code = await serve(outcome, calls, Promise.race([processes.watch, stopped]));
  } finally {
    say('Stopping …');
    await processes.stop();
    await services.release();
  }
  // Printed after everything has stopped, so nothing follows the last line.
  for (const line of lines) process.stdout.write(`${line}\n`);
  return code;
}

/** Makes every call and returns the brief: readable at a terminal, else on one line. */
async function brief(calls: readonly Call[]): Promise<string> {
  const bodies: string[] = [];
  for (const call of calls) {
    bodies.push(await make(call));
    say(`${call.what}: 200  ${call.url}`);
  }
  return process.stdout.isTTY ? JSON.stringify(JSON.parse(bodies[0] ?? 'null'), null, 2) : (bodies[0] ?? '');
}

async function serve(
  { served, summary }: Outcome,
  calls: readonly Call[],
  ended: Promise<unknown>,
): Promise<number> {
  const lines = [
    '',
    `API         ${served.apiUrl}`,
    `API key     ${served.key}`,
    `Pages       ${served.apiUrl}/  ${served.apiUrl}/docs  ${served.apiUrl}/connect`,
    `Brief       ${served.apiUrl}/briefs/${summary.brief_id}  as a page`,
    `Agents      claude mcp add --transport http tidemark "${served.apiUrl}/mcp?names=underscore" --header "Authorization: Bearer $TIDEMARK_KEY"`,
    `Status      ${served.apiUrl}/status`,
    `Operators   ${served.boardUrl}operators  user ${served.boardUser}, password ${served.boardPassword}`,
    `Bull Board  ${served.boardUrl}  with the same password`,
    '',
    `export TIDEMARK_KEY=${served.key}`,
    ...calls.flatMap((call) => [`# ${call.what}`, call.curl]),
    '',
    'Serving until Ctrl-C.',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await ended;
  return 0;
}

/** A signal no longer kills the demo: services and processes are stopped in order. */
function untilStopSignal(): Promise<'stopped'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve('stopped'));
  });
}
