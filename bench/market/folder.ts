/**
 * Writes a synthetic market as a folder of full submissions, for `tidemark replay` and `edgar serve`.
 *
 *   npm run bench:market -- DIR [--filers 400] [--rows 300] [--form4-years 2 --form4-per-year 20] …
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { failsText } from '../../scripts/sandbox/fails-text.ts';
import { type Market, type Security, SMALL, securitiesOf } from './market.ts';
import { submissionsOf } from './submissions.ts';

/** Files of one folder, so that no folder has tens of thousands. */
const FILES_PER_FOLDER = 1_000;

export type Written = { readonly filings: number; readonly rows: number; readonly bytes: number };

/** Writes the market's filings, its tickers and its fails-to-deliver file into a new folder. */
export function writeMarket(dir: string, market: Market): Written {
  let [filings, rows, bytes] = [0, 0, 0];
  for (const { file, text } of submissionsOf(market)) {
    const folder = join(dir, String(Math.floor(filings / FILES_PER_FOLDER)).padStart(4, '0'));
    if (filings % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), text);
    filings += 1;
    rows += text.split('<infoTable>').length - 1;
    bytes += text.length;
  }
  writeReferences(dir, market);
  writeFileSync(
    join(dir, 'README.txt'),
    `Synthetic filings made for a benchmark; nothing in them is real.\n`,
  );
  return { filings, rows, bytes };
}

/** The market's tickers and its fails-to-deliver file. */
export function writeReferences(dir: string, market: Market): void {
  const listed = securitiesOf(market).filter(({ ticker }) => ticker !== null);
  writeFileSync(join(dir, 'company_tickers.json'), tickersJson(listed));
  writeFileSync(join(dir, 'cnsfails202309b.txt'), failsText('20230918', listed));
}

function tickersJson(listed: readonly Security[]): string {
  const entries = listed.map(({ cik, ticker, issuer }, at) => [
    at,
    { cik_str: Number(cik), ticker, title: issuer },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** `--filers 400 --form4-years 2` as values of a market; what is not given is that of `fallback`. */
export function marketOf(
  args: readonly string[],
  fallback: Market = SMALL,
): { dir: string | undefined; market: Market } {
  const names = Object.keys(SMALL) as (keyof Market)[];
  const option = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(names.map((name) => [option(name), { type: 'string' as const }])),
  });
  const given = names.flatMap((name) => {
    const text = values[option(name)];
    if (text === undefined) return [];
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${option(name)}: "${text}" is not a number`);
    return [[name, value] as const];
  });
  return { dir: positionals[0], market: { ...fallback, ...Object.fromEntries(given) } };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { dir, market } = marketOf(process.argv.slice(2));
  if (dir === undefined) throw new Error('which folder?');
  console.log(JSON.stringify(writeMarket(dir, market)));
}
