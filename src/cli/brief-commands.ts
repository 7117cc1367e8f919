import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Db } from 'mongodb';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { provenWords, readOnce, unwrapped, verifyBrief, verifyEvidence } from '../domain/brief/verify.ts';
import { differencesOf } from '../domain/brief/words/differences.ts';
import { parseTicker, type Ticker } from '../domain/ids.ts';
import type { Brief } from '../domain/wire/brief.ts';
import { isLoopbackHost } from '../edgar/client/address.ts';
import { MisuseError, UsageError } from '../errors.ts';
import { currentBrief } from '../read/brief/brief.ts';
import { listCorrections } from '../store/publish/briefs.ts';
import { findBrief } from '../store/publish/current-briefs.ts';
import { print, printRows, say, withContext } from './session.ts';

const MAX_LISTED = 1_000;

/** `tidemark brief show TICKER`, `brief corrections` and `brief verify FILE`. */
export function addBrief(program: Command): void {
  const brief = program.command('brief');
  brief
    .command('show <ticker>')
    .description('Print the current brief of a ticker as JSON, without a charge.')
    .action((text: string) => withContext(async (context) => print(await briefText(context, text))));
  brief
    .command('corrections [ticker]')
    .description('List briefs that replaced another because a parser or the algorithm changed.')
    .option('--json', 'print JSON')
    .action((text: string | undefined, { json }: { readonly json?: boolean }) =>
      withContext(async ({ db }) => {
        const ticker = text === undefined ? null : tickerOf(text);
        const rows = (await listCorrections(db, ticker, MAX_LISTED)).map(
          ({ _id, evidenceIds, ...correction }) => ({ ...correction, to: _id, evidence_ids: evidenceIds }),
        );
        printRows(rows, json, 'No brief was corrected.');
      }),
    );
  brief
    .command('diff <from> <to>')
    .description('Say what changed from one stored brief to another, by their ids.')
    .option('--json', 'print JSON')
    .action(diff);
  brief
    .command('verify <file>')
    .description('Check a brief or API answer offline: its ids and contradictions. Exit 1 when one is found.')
    .option('--id <brief_id>', 'the id that it must have')
    .option('--evidence <files...>', 'check these pages of /briefs/{brief_id}/evidence against it')
    .option('--api <url>', 'fetch these pages from a server, with the key in TIDEMARK_KEY')
    .action(verify);
}

function diff(from: string, to: string, { json }: { readonly json?: boolean }): Promise<void> {
  return withContext(async ({ db }) => {
    const differences = differencesOf(await storedBrief(db, from), await storedBrief(db, to));
    if (json) print(JSON.stringify(differences, null, 2));
    else print(differences.map(({ text }) => text).join('\n') || 'Nothing changed.');
  });
}

type Sources = { readonly id?: string; readonly evidence?: readonly string[]; readonly api?: string };

async function verify(file: string, sources: Sources): Promise<void> {
  const brief = await readJson(file);
  const { problems } = verifyBrief(brief, sources.id);
  const pages = await evidencePages(brief, sources);
  const found = [...problems, ...(pages === null ? [] : verifyEvidence(brief, pages).problems)];
  for (const { what, expected, actual } of found) say(`${what}: expected ${expected}, found ${actual}`);
  const evidence = pages === null ? '' : ' Its evidence matches.';
  const isExpected = sources.id !== undefined;
  print(
    found.length === 0 ? `${provenWords(briefIdOf(unwrapped(brief)), isExpected)}${evidence}` : 'differs',
  );
  if (found.length > 0) process.exitCode = 1;
}

async function evidencePages(brief: unknown, { evidence, api }: Sources): Promise<unknown[] | null> {
  if (api === undefined) return evidence === undefined ? null : Promise.all(evidence.map(readJson));
  if (!URL.canParse(api)) throw new MisuseError(`${api}: not an address (for example http://127.0.0.1:8080)`);
  const { protocol, hostname } = new URL(api);
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    throw new MisuseError(`${api}: plain http would show the key: use https`);
  return fetchEvidence({ url: api, briefId: briefIdOf(unwrapped(brief)), key: loadConfig().apiKey });
}

async function storedBrief(db: Db, briefId: string): Promise<Brief> {
  const found = await findBrief(db, briefId);
  if (found === null) throw new UsageError(`${briefId}: no such brief is stored`);
  return (JSON.parse(found.brief.body.toString('utf8')) as { data: Brief }).data;
}

async function briefText({ db, now }: Context, text: string): Promise<string> {
  const { body } = await currentBrief(db, tickerOf(text), now);
  const { data } = JSON.parse(body.toString('utf8')) as { data: unknown };
  return JSON.stringify(data, null, 2);
}

function tickerOf(text: string): Ticker {
  const ticker = parseTicker(text);
  if (ticker === null) throw new MisuseError(`${text}: not a ticker (for example AAPL or BRK.B)`);
  return ticker;
}

function briefIdOf(brief: unknown): string {
  const isBrief = typeof brief === 'object' && brief !== null && 'brief_id' in brief;
  if (!isBrief) throw new UsageError('The file has no brief_id, so its evidence cannot be fetched.');
  return String(brief.brief_id);
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch(() => {
    throw new UsageError(`${file}: cannot be read`);
  });
  try {
    return readOnce(text);
  } catch {
    throw new UsageError(`${file}: not JSON, or an object in it has a member twice`);
  }
}

type Api = { readonly url: string; readonly briefId: string; readonly key: string | undefined };

/** All pages of a brief's evidence from a server, each as its JSON. Throws `UsageError` when one is refused. */
async function fetchEvidence({ url, briefId, key }: Api): Promise<unknown[]> {
  const pages: unknown[] = [];
  let address: string | null =
    `${url.replace(/\/$/, '')}/v1/briefs/${encodeURIComponent(briefId)}/evidence?limit=500`;
  while (address !== null) {
    const answer: Response = await ask(address, key);
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) throw new UsageError(`${address}: ${messageOf(body) ?? `HTTP ${answer.status}`}`);
    pages.push(body);
    address = nextPage(address, answer.headers.get('link'));
  }
  return pages;
}

async function ask(address: string, key: string | undefined): Promise<Response> {
  try {
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return await fetch(address, { headers, redirect: 'error' });
  } catch {
    throw new UsageError(`${address}: no answer`);
  }
}

/**
 * The page number of `rel="next"`, at the address that was asked: a proxy may know it by another name. Only forward:
 * one that drops the number would answer, and charge, the same page for ever.
 */
function nextPage(address: string, link: string | null): string | null {
  const page = /[?&]page=(\d+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
  const next = new URL(address);
  if (page === undefined || Number(page) <= Number(next.searchParams.get('page'))) return null;
  next.searchParams.set('page', page);
  return next.toString();
}

function messageOf(body: unknown): string | null {
  const isProblem = typeof body === 'object' && body !== null && 'message' in body;
  return isProblem ? String(body.message) : null;
}
