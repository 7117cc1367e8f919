import { SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import { parseTicker, type QuarterEnd, type Ticker } from '../domain/ids.ts';
import { quarterEndOf } from '../domain/quarter.ts';
import { auditStored } from '../read/audit/audit.ts';
import { type Audit, auditShape } from '../read/audit/shape.ts';
import { auditSections } from './audit-sections.ts';
import { PAGE_COLUMNS } from './audit-table.ts';
import { print, withContext } from './session.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 10_000;

type Options = {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly limit: number;
  readonly quarter?: QuarterEnd;
  readonly ticker?: Ticker;
};

/** `tidemark audit`. */
export function addAudit(program: Command): void {
  program
    .command('audit')
    .description(
      'What is doubtful in what is stored: reasons, totals, mappings, units, the worst cases first.',
    )
    .option('--json', 'as one JSON object')
    .option('--limit <n>', 'lines of each list', limit, DEFAULT_LIMIT)
    .option('--quarter <quarter>', 'reports of this quarter alone, such as 2018Q3', quarter)
    .option('--ticker <ticker>', 'this security and the reports that hold it', ticker)
    .option('--strict', 'exit 1 when a critical reason stands')
    .action((options: Options) =>
      withContext(async ({ db }) => {
        const request = {
          quarterEnd: options.quarter ?? null,
          ticker: options.ticker ?? null,
          limit: options.limit,
        };
        const audit = auditShape.parse(await withBar((progress) => auditStored(db, request, progress)));
        print(options.json ? JSON.stringify(audit) : pageOf(audit));
        if (options.strict && audit.critical.length > 0) process.exitCode = 1;
      }),
    );
}

/** Text for a terminal of {@link PAGE_COLUMNS} columns. */
export function pageOf(audit: Audit): string {
  const { stored, scope, critical } = audit;
  const of = [scope.ticker, scope.quarter_end].filter((part) => part !== null).join(', ');
  const head = [
    `Audit as of ${audit.as_of ?? 'no day: the first ingestion has not finished'}${of === '' ? '' : ` of ${of}`}`,
    `${stored.filings_13f} filings of 13F in ${stored.reports} reports; ${stored.trades} trades in ${stored.filings_form4} filings of Form 4.`,
    critical.length === 0 ? 'No critical reason stands.' : `Critical: ${critical.join(', ')}.`,
  ];
  const sections = auditSections(audit).flatMap(({ title, about, lines }) => [
    '',
    title,
    ...wrapped(about),
    ...lines,
  ]);
  return [...head.flatMap(wrapped), ...sections].join('\n');
}

function wrapped(sentence: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > PAGE_COLUMNS && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** How far the positions are read, on stderr. */
async function withBar<T>(run: (progress: (done: number, total: number) => void) => Promise<T>): Promise<T> {
  const bar = new SingleBar({
    format: 'Reading positions |{bar}| {percentage} %',
    noTTYOutput: true,
    notTTYSchedule: 3_000,
    hideCursor: null,
    clearOnComplete: true,
    stream: process.stderr,
  });
  let isStarted = false;
  try {
    return await run((done, total) => {
      if (!isStarted) bar.start(total, 0);
      isStarted = true;
      bar.update(done);
    });
  } finally {
    if (isStarted) bar.stop();
  }
}

function limit(text: string): number {
  const lines = Number(text);
  if (!Number.isInteger(lines) || lines < 0 || lines > MAX_LIMIT) {
    throw new InvalidArgumentError(`A whole number up to ${MAX_LIMIT}.`);
  }
  return lines;
}

function quarter(text: string): QuarterEnd {
  const [, year, part] = /^(\d{4})Q([1-4])$/i.exec(text) ?? [];
  if (year === undefined || part === undefined)
    throw new InvalidArgumentError('A quarter looks like 2018Q3.');
  return quarterEndOf(Number(year), Number(part) as 1 | 2 | 3 | 4);
}

function ticker(text: string): Ticker {
  const parsed = parseTicker(text);
  if (parsed === null) throw new InvalidArgumentError('A ticker looks like AAPL or BRK.B.');
  return parsed;
}
