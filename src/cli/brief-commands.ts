import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { verifyBrief } from '../domain/brief/verify.ts';
import { parseTicker, type Ticker } from '../domain/ids.ts';
import { UsageError } from '../errors.ts';
import { currentBrief } from '../read/brief/brief.ts';
import { listCorrections } from '../store/publish/corrections.ts';
import { print, printRows, say, withStore } from './session.ts';

const MAX_LISTED = 1_000;

/** `tidemark brief show TICKER`, `brief corrections` and `brief verify FILE`. */
export function addBrief(program: Command): void {
  const brief = program.command('brief').description('Show a brief, or check one offline.');
  brief
    .command('show <ticker>')
    .description('Print the current brief of a ticker as JSON, without a charge.')
    .action((text: string) => withStore(async (context) => print(await briefText(context, text))));
  brief
    .command('corrections [ticker]')
    .description('List briefs that replaced another because a parser or the algorithm changed.')
    .option('--json', 'print JSON')
    .action((text: string | undefined, { json }: { readonly json?: boolean }) =>
      withStore(async ({ db }) => {
        const ticker = text === undefined ? null : tickerOf(text);
        const rows = (await listCorrections(db, ticker, MAX_LISTED)).map(
          ({ _id, evidenceIds, ...correction }) => ({ ...correction, to: _id, evidence_ids: evidenceIds }),
        );
        printRows(rows, json, 'No brief was corrected.');
      }),
    );
  brief
    .command('verify <file>')
    .description('Recompute the ids of a brief or API answer offline. Exit 1 when one differs.')
    .action(async (file: string) => {
      const { ok, problems } = verifyBrief(await readJson(file));
      for (const problem of problems) {
        say(`${problem.what}: expected ${problem.expected}, found ${problem.actual}`);
      }
      print(ok ? 'ok: manifest, brief and claim ids match the content' : 'differs');
      if (!ok) process.exitCode = 1;
    });
}

async function briefText({ db, now }: Context, text: string): Promise<string> {
  const { body } = await currentBrief(db, tickerOf(text), now);
  const { data } = JSON.parse(body.toString('utf8')) as { data: unknown };
  return JSON.stringify(data, null, 2);
}

function tickerOf(text: string): Ticker {
  const ticker = parseTicker(text);
  if (ticker === null) throw new UsageError(`${text}: not a ticker (for example AAPL or BRK.B)`);
  return ticker;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch(() => {
    throw new UsageError(`${file}: cannot be read`);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file}: not JSON`);
  }
}
