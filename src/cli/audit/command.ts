import type { Command } from 'commander';
import type { QuarterEnd, Ticker } from '../../domain/ids.ts';
import { auditStored } from '../../read/audit/audit.ts';
import { type Audit, auditShape } from '../../read/audit/shape.ts';
import { quarter, ticker, wholeNumber } from '../arguments.ts';
import { progressBar } from '../progress-bar.ts';
import { print, withContext } from '../session.ts';
import { auditSections } from './sections.ts';
import { wrapped } from './table.ts';

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
    .option('--json', 'print one JSON object')
    .option('--limit <n>', 'lines of each list', wholeNumber(MAX_LIMIT), DEFAULT_LIMIT)
    .option('--quarter <quarter>', 'only reports of this quarter, such as 2018Q3', quarter)
    .option('--ticker <ticker>', 'only this security and the reports that hold it', ticker)
    .option('--strict', 'exit 1 when there is a critical reason')
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

function pageOf(audit: Audit): string {
  const { stored, scope, critical } = audit;
  const of = [scope.ticker, scope.quarter_end].filter((part) => part !== null).join(', ');
  const head = [
    `Audit as of ${audit.as_of ?? 'no day: the first ingestion has not finished'}${of === '' ? '' : ` of ${of}`}`,
    `${stored.filings_13f} filings of 13F in ${stored.reports} reports; ${stored.trades} trades in ${stored.filings_form4} filings of Form 4.`,
    critical.length === 0 ? 'There is no critical reason.' : `Critical: ${critical.join(', ')}.`,
  ];
  return [...head.flatMap(wrapped), ...auditSections(audit)].join('\n');
}

/** Shows on stderr how many positions are read. */
async function withBar<T>(run: (progress: (done: number, total: number) => void) => Promise<T>): Promise<T> {
  const bar = progressBar('Reading positions |{bar}| {percentage} %');
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
