import type { Command } from 'commander';
import { type Config, loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { creditProblems, creditsStatus } from '../credits/ledger/status.ts';
import { openHighestSeq } from '../credits/notices.ts';
import { creditStoreOf } from '../credits/store.ts';
import { dataSetProblems, dataSetStatus } from '../derive/corpus/status.ts';
import type { QuarterEnd } from '../domain/ids.ts';
import { FORMS } from '../forms/index.ts';
import { requireReplicaSet } from '../mongo.ts';
import { type Audit, auditStored } from '../read/audit/audit.ts';
import { checkEvents } from '../read/audit/events.ts';
import { openQuarterCounts, processHealth, serviceStatus } from '../read/status/status.ts';
import { redisSetting, requireNoEviction } from '../redis.ts';
import { saveEventCheck } from '../store/filing/events.ts';
import { quarter, wholeNumber } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { columnLines } from './rows.ts';
import { print, printNamed, say, withContext } from './session.ts';

/** `FAIL`: does not work, or loses something. `WARN`: an operator should know. */
type Finding = { readonly kind: 'ok' | 'WARN' | 'FAIL'; readonly text: string };

/** `tidemark doctor`. */
export function addDoctor(program: Command): void {
  program.command('doctor').action(async () => {
    const settings = settingFindings(loadConfig());
    const findings = [...settings, ...(await withContext(serviceFindings))];
    for (const { kind, text } of findings) print(`${kind.padEnd(4)} ${text}`);
    if (findings.some(({ kind }) => kind === 'FAIL')) process.exitCode = 1;
  });
}

/** What the settings alone say. */
export function settingFindings(config: Config): Finding[] {
  const isOpen = !['127.0.0.1', 'localhost', '::1'].includes(config.host);
  const expect = (is: boolean, kind: 'WARN' | 'FAIL', good: string, bad: string): Finding =>
    is ? { kind: 'ok', text: good } : { kind, text: bad };
  return [
    expect(
      config.edgarUserAgent?.includes('@') === true,
      'WARN',
      'EDGAR_USER_AGENT names a contact',
      'EDGAR_USER_AGENT names no mail address: the SEC asks for one, and blocks without',
    ),
    expect(
      config.edgarRequestsPerSecond <= 10,
      'FAIL',
      'EDGAR_REQUESTS_PER_SECOND is within the limit of the SEC',
      'EDGAR_REQUESTS_PER_SECOND is above 10: the SEC blocks such an address',
    ),
    expect(
      !isOpen || config.isProduction,
      'WARN',
      config.isProduction ? 'TIDEMARK_ENV is production' : 'only this machine reaches the API',
      'HOST is open to others, and TIDEMARK_ENV is not production: a start refuses less',
    ),
    expect(
      !config.isProduction || config.siteUrl.startsWith('https://'),
      'WARN',
      `SITE_URL is ${config.siteUrl}`,
      `SITE_URL is ${config.siteUrl}: keys would travel without TLS`,
    ),
    ...Object.entries({ KEY_PEPPER: config.keyPepper, BOARD_PASSWORD: config.boardPassword }).map(
      ([name, secret]) =>
        expect(
          !config.isProduction || secret !== undefined,
          'WARN',
          `${name} is as TIDEMARK_ENV asks for`,
          `${name} is not set: what uses it does not start in production`,
        ),
    ),
    expect(
      !isOpen || config.signUp.mode !== 'open',
      'WARN',
      `SIGNUP is ${config.signUp.mode}`,
      `SIGNUP is open: anybody who reaches the API gets ${config.signUp.credits} credits`,
    ),
  ];
}

/** Each check of a service or of what it holds; a check that throws has failed. */
async function serviceFindings(context: Context): Promise<Finding[]> {
  const { db, creditsRedis, config, now } = context;
  const standalone = config.isProduction ? 'FAIL' : 'WARN';
  const store = creditStoreOf(context);
  const findings = [
    await check('MongoDB is a replica set', standalone, () => requireReplicaSet(db)),
    await check('the Redis of the credits evicts nothing', 'FAIL', () =>
      requireNoEviction(creditsRedis, 'The Redis of the credits'),
    ),
    await check('the Redis of the credits keeps what it is told', 'FAIL', async () => {
      const appendonly = await redisSetting(creditsRedis, 'appendonly');
      if (appendonly !== 'yes') throw new Error(`appendonly is ${appendonly}`);
    }),
  ];
  const { problems } = await serviceStatus({ db, now, forms: FORMS, countQuarters: openQuarterCounts(now) });
  const sets = dataSetProblems(await dataSetStatus(db), await processHealth(db, now));
  const all = [...problems, ...sets, ...creditProblems(await creditsStatus(store))];
  return [...findings, ...all.map((text): Finding => ({ kind: 'WARN', text }))];
}

async function check(text: string, kind: 'WARN' | 'FAIL', act: () => Promise<unknown>): Promise<Finding> {
  try {
    await act();
    return { kind: 'ok', text };
  } catch (error) {
    return { kind, text: `not so: ${text}. ${error instanceof Error ? error.message : String(error)}` };
  }
}

type Options = {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly limit: number;
  readonly quarter?: QuarterEnd;
};

/** `tidemark audit`. */
export function addAudit(program: Command): void {
  program
    .command('audit')
    .option('--json', 'print one JSON object')
    .option('--limit <n>', 'rows of each section', wholeNumber(10_000), 10)
    .option('--quarter <quarter>', 'only reports of this quarter, such as 2018Q3', quarter)
    .option('--strict', 'exit 1 when there is a critical reason')
    .action(({ json, strict, limit, quarter: asked }: Options) =>
      withContext(async ({ db }) => {
        const bar = progressBar('Reading positions |{bar}| {percentage} %');
        const progress = (done: number, total: number): void => bar.start(total, done);
        const request = { quarterEnd: asked ?? null, limit };
        const audit = await auditStored(db, request, progress).finally(() => bar.stop());
        print(json ? JSON.stringify(audit) : pageOf(audit));
        if (strict && audit.critical.length > 0) process.exitCode = 1;
      }),
    );
}

function pageOf({ as_of, stored, critical, sections }: Audit): string {
  const head = [
    `Audit as of ${as_of ?? 'no day: the first ingestion has not finished'}`,
    `${stored.filings_13f} filings of 13F in ${stored.reports} reports; ${stored.trades} trades in ${stored.filings_form4} filings of Form 4.`,
    critical.length === 0 ? 'There is no critical reason.' : `Critical: ${critical.join(', ')}.`,
  ];
  const parts = sections.flatMap(({ title, about, rows }) => ['', title, about, ...columnLines(rows)]);
  return [...head, ...parts].join('\n');
}

/** Of a number of the stream; `--above` reaches further than any stream. */
const MAX_SEQ = 9_000_000_000;

/** `tidemark events check|restore-fence`. */
export function addEvents(program: Command): void {
  const events = program.command('events');
  events
    .command('check')
    .description('Prove that each filing has one event and no number is missing. Exit 1 otherwise.')
    .option('--json', 'print one JSON object')
    .action((options: { readonly json?: boolean }) => checkStream(options.json === true));
  events
    .command('restore-fence')
    .description('After MongoDB was restored from an older copy: number events behind all that readers saw.')
    .option(
      '--above <number>',
      'a number that was published, when the credits Redis is lost too',
      wholeNumber(MAX_SEQ),
    )
    .addHelpText('after', '\nStop all workers first. Safe to repeat.')
    .action((options: { readonly above?: number }) => fence(options.above));
}

function checkStream(isJson: boolean): Promise<void> {
  return withContext(async ({ config, creditsRedis, db, now }) => {
    const highest = openHighestSeq(creditsRedis, config.creditsTag, db.databaseName);
    const result = await checkEvents(db, await highest.read(), now());
    await saveEventCheck(db, result);
    const { problems, ...counts } = result;
    if (isJson) print(JSON.stringify(result));
    else printNamed(counts);
    if (!isJson) for (const { code, message } of problems) print(`PROBLEM ${code}: ${message}`);
    if (result.problem_count > 0) process.exitCode = 1;
  });
}

async function fence(above: number | undefined): Promise<void> {
  const [{ withQueue }, { restoreFence }] = await Promise.all([
    import('../../jobs/worker/open.ts'),
    import('../../jobs/sequence.ts'),
  ]);
  await withContext(({ config, creditsRedis, db, now }, services) =>
    withQueue(config, services, async ({ producer }) => {
      const highestSeq = openHighestSeq(creditsRedis, config.creditsTag, db.databaseName);
      const { gap, renumbered } = await restoreFence({ db, producer, highestSeq, now }, above);
      if (gap === null) say('MongoDB has every number that was published: nothing is fenced off.');
      else print(`The next event is number ${gap.to + 1}. ${gap.from} to ${gap.to} are not used.`);
      if (renumbered > 0) say(`${renumbered} filings are published again.`);
    }),
  );
}
