import type { Command } from 'commander';
import type { QuarterEnd } from '../domain/ids.ts';
import { type Audit, auditStored } from '../read/audit/audit.ts';
import { quarter, wholeNumber } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { columnLines } from './rows.ts';
import { print, withContext } from './session.ts';

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
