import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Db } from 'mongodb';
import { dataSetStatus } from '../derive/corpus/status.ts';
import { type Accession, isAccession } from '../domain/ids.ts';
import { EDGAR_CODES } from '../edgar/error.ts';
import { MisuseError, UsageError } from '../errors.ts';
import { PARSE_ERRORS } from '../forms/parse-error.ts';
import { referenceAlarms } from '../store/filing/alarms.ts';
import {
  FAILURE_STAGES,
  type FailureFilter,
  type FailureStage,
  failureCodes,
  failureOf,
  failureStage,
  ignoreFailures,
  listFailures,
  retryFailures,
} from '../store/filing/failures.ts';
import type { FilingDoc } from '../store/filing/filings.ts';
import { carriedForm, wholeNumber } from './arguments.ts';
import { printNamed, printRows, say, withContext } from './session.ts';

const LISTED = 1_000;

type ListOptions = FilterOptions & {
  readonly ignored?: boolean;
  readonly json?: boolean;
  readonly limit: number;
};
type FilterOptions = { readonly form?: string; readonly stage?: FailureStage; readonly code?: string };
type Several = FilterOptions & { readonly all?: boolean };

/** `tidemark failures list|show|retry|ignore`: filings that could not be fetched or parsed. */
export function addFailures(program: Command): void {
  const failures = program.command('failures');
  filtered(failures.command('list').description('List them with their reasons.'))
    .option('--limit <count>', 'list so many at most', wholeNumber(1_000_000), LISTED)
    .option('--ignored', 'list those that are ignored, with who and when')
    .option('--json', 'print JSON')
    .action(list);
  failures
    .command('show <accession>')
    .description('Print all that is stored of one failure, with its whole reason.')
    .action(show);
  several(failures.command('retry [accession]'))
    .description('Parse the stored bytes of one of them, or of all, again. Fetch where none are stored.')
    .action((accession: string | undefined, options: Several) =>
      withContext(async ({ db, now }) => {
        const filter = filterOf(accession, options);
        await requireCode(db, filter);
        const count = await retryFailures(db, filter, now().toISOString());
        sayCount(count, accession, 'The next worker will retry');
      }),
    );
  several(failures.command('ignore [accession]'))
    .description('Keep one of them, or all, out of this list and of the coverage of briefs.')
    .option('--by <name>', 'who decided it', userInfo().username)
    .action((accession: string | undefined, options: Several & { readonly by: string }) =>
      withContext(async ({ db, now }) => {
        const mark = { by: options.by, at: now().toISOString() };
        const filter = filterOf(accession, options);
        await requireCode(db, filter);
        sayCount(await ignoreFailures(db, filter, mark), accession, 'Ignored');
      }),
    );
}

function filtered(command: Command): Command {
  return command
    .option('--form <type>', 'only filings of this form type', carriedForm)
    .addOption(new Option('--stage <stage>', 'only failures of this stage').choices(FAILURE_STAGES))
    .option('--code <code>', 'only failures with the code of this reason');
}

function several(command: Command): Command {
  return filtered(command.option('--all', 'all failures that the other options select'));
}

function list(options: ListOptions) {
  return withContext(async ({ db }) => {
    const page = { ignored: options.ignored === true, limit: options.limit };
    const filter = filterOptions(options);
    await requireCode(db, filter);
    const { docs, total } = await listFailures(db, filter, page);
    const rows = docs.map((doc) => ({
      ...rowOf(doc),
      ...(options.json ? { raw_hash: doc.raw.at(-1) ?? null } : {}),
    }));
    printRows(rows, options.json, 'No filing is quarantined.');
    const more = total - docs.length;
    if (more > 0)
      say(`${more} more. List them with --limit ${total}, or select by --form, --stage and --code.`);
    const files = (await referenceAlarms(db)).length;
    if (files > 0) say(`${files} reference files could not be read: tidemark status names them.`);
    for (const { name, failure } of (await dataSetStatus(db)).data_sets)
      if (failure !== null) say(`data set ${name}: ${failure.code}: ${failure.reason}`);
  });
}

function rowOf(doc: FilingDoc) {
  const { quarantine } = doc;
  return {
    accession_number: doc._id,
    form: doc.form,
    filed: doc.filedDate,
    stage: failureStage(doc),
    code: quarantine?.code ?? '',
    reason: quarantine?.reason ?? '',
    ...(quarantine?.ignored && { ignored_by: quarantine.ignored.by, ignored_at: quarantine.ignored.at }),
  };
}

function show(text: string) {
  return withContext(async ({ db }) => {
    const doc = await failureOf(db, accessionOf(text));
    if (doc === null) throw new UsageError(`${text} is not quarantined`);
    const more = {
      company: doc.company,
      since: doc.quarantine?.at ?? '',
      raw_hash: doc.raw.at(-1) ?? 'none',
    };
    printNamed({ ...rowOf(doc), ...more });
  });
}

/** Without an accession number `--all` is needed, so that no slip touches every failure. */
function filterOf(accession: string | undefined, options: Several): FailureFilter {
  if ((accession === undefined) !== (options.all === true)) {
    throw new MisuseError('Give an accession number, or --all, which --form, --stage and --code narrow.');
  }
  const filter = filterOptions(options);
  return accession === undefined ? filter : { ...filter, accession: accessionOf(accession) };
}

function filterOptions({ form, stage, code }: FilterOptions): FailureFilter {
  return { ...(form && { form }), ...(stage && { stage }), ...(code && { code }) };
}

const KNOWN_CODES: readonly string[] = [...Object.keys(PARSE_ERRORS), ...EDGAR_CODES];

/** A code that no failure has is a slip, unless it is one of those that a filing is refused with. */
async function requireCode(db: Db, { code }: FailureFilter): Promise<void> {
  if (code === undefined || KNOWN_CODES.includes(code)) return;
  const codes = await failureCodes(db);
  if (codes.includes(code)) return;
  throw new MisuseError(
    `No failure has the code ${JSON.stringify(code)}. Codes of failures: ${codes.join(', ') || 'none'}.`,
  );
}

function accessionOf(text: string): Accession {
  if (!isAccession(text)) throw new MisuseError(`${text}: not an accession number`);
  return text;
}

function sayCount(count: number, accession: string | undefined, what: string): void {
  if (accession !== undefined && count === 0) throw new UsageError(`${accession} is not quarantined`);
  say(accession === undefined ? `${what} ${count} filings.` : `${what} ${accession}.`);
}
