import type { Result } from '../goals.ts';
import type { Compared } from './in-turns.ts';
import type { Changed, Ingested } from './own-process.ts';
import { cpuOf, type Spent } from './probe.ts';
import type { Rebuilt } from './rebuilt.ts';
import type { Wide } from './wide-brief.ts';

/** How much larger the larger market is. */
export const GROWTH = 4;

type Reads<T> = { readonly brief: T; readonly page: T };

type Measured = { readonly ingested: Ingested; readonly reads: Reads<Spent> };
/** A market beside the plain one. */
export type Beside = { readonly ingested: Ingested; readonly compared: Reads<Compared> };

type Markets = {
  readonly plain: Measured;
  readonly grown: Beside;
  readonly stopped: Beside;
  readonly history: Beside;
};

/** What was read in the market itself. */
export function ofOther({ ingested, compared: { brief, page } }: Beside): Measured {
  return { ingested, reads: { brief: brief.other, page: page.other } };
}

export function marketTable(markets: Record<string, Measured>) {
  return tableOf(markets, ({ ingested: { rows, ingest, holders, forms }, reads: { brief, page } }) => ({
    rows,
    'Node ms/row': round(ingest.nodeMs / rows),
    'engine ms/row': round(ingest.engineMs / rows),
    'ingest s': round(ingest.wallMs / 1_000),
    holders,
    'Forms 4': forms,
    'brief docs': brief.documents,
    'brief Node ms': round(brief.nodeMs),
    'brief engine ms': round(brief.engineMs),
    'page docs': page.documents,
    'page Node ms': round(page.nodeMs),
    'page engine ms': round(page.engineMs),
  }));
}

/** CPU by queue of what follows from one restated report, in milliseconds. */
export function amendedTable(markets: Record<string, Changed>) {
  return tableOf(markets, ({ amended: { rows, diffMs, stages } }) => ({
    rows: round(rows),
    'own parse and diff': round(diffMs),
    ...Object.fromEntries([...stages].map(([name, ms]) => [name, round(ms)])),
  }));
}

export function ratiosOfGrowth({ plain, grown, stopped, history }: Markets) {
  const perRow = ({ ingest, rows }: Ingested): number => cpuOf(ingest) / rows;
  const briefs = [plain, ...[grown, stopped, history].map(ofOther)].map(documentsOverGoal);
  return [
    atMost(`ingest CPU a row, ${GROWTH} x filers`, perRow(grown.ingested) / perRow(plain.ingested), 1.1),
    atMost(`brief CPU, ${GROWTH} x filers`, grown.compared.brief.over, 1.2),
    atMost('brief CPU, stopped managers', stopped.compared.brief.over, 1.2),
    atMost('brief documents without Forms 4, over 3 a holder and 50', Math.max(...briefs), 1),
    atMost('holdings page CPU, years of Forms 4', history.compared.page.over, 1.2),
    atMost('holdings page documents', history.compared.page.other.documents, 10),
  ];
}

/** Documents read over the goal: 3 a holder and 50, and each Form 4 of the window once. */
function documentsOverGoal({ ingested: { holders, forms }, reads: { brief } }: Measured): number {
  return (brief.documents - forms) / (3 * holders + 50);
}

export function ratiosOfTime(markets: Record<string, Changed & Pick<Ingested, 'ingest'>>) {
  return Object.entries(markets).flatMap(([name, { ingest, amended, again, week }]) => [
    atMost(`${name}: the same folder again, CPU`, cpuOf(again.again) / cpuOf(ingest), 0.1),
    atMost(`${name}: the same folder the next day, CPU`, cpuOf(again.nextDay) / cpuOf(ingest), 0.15),
    atMost(`${name}: a restated report over its parse and diff, CPU`, amended.allMs / amended.diffMs, 10),
    atMost(`${name}: a day without filings, CPU s`, week.dayMs / 1_000, 1),
    atMost(`${name}: briefs built in eight days, nobody asked`, again.built + week.built, 0),
    atMost(`${name}: briefs built ahead over asked for`, week.builtAhead / week.asked, 1),
    atMost(`${name}: bytes added by a week, nobody asked, %`, (100 * week.added) / week.bytes, 1),
    told(`${name}: KB that a brief asked for adds a day`, week.bytesEach / 1_024),
  ]);
}

type Hits = { readonly usual: number; readonly large: number };

/** The numbers of holders that are compared. */
export const WIDE = { few: 60, many: 6_000 } as const;

/** What a brief of many holders costs over one of few, by what happened. */
export function ratiosOfRebuilt({ few, many }: Record<keyof typeof WIDE, Rebuilt>) {
  const over = (of: keyof Rebuilt): number => many[of] / few[of];
  return [
    atMost('brief, 6,000 holders over 60, CPU after a new day', over('newDay'), 3),
    atMost('brief, 6,000 holders over 60, CPU after a Form 4', over('form4'), 3),
    told('brief, 6,000 holders over 60, CPU after a holder reported', over('holder')),
    told('brief, 6,000 holders over 60, CPU of the first one', over('first')),
    told('brief of 6,000 holders, CPU ms after a new day', many.newDay),
    told('brief of 6,000 holders, CPU ms after a holder reported', many.holder),
    told('brief of 6,000 holders, documents read after a holder reported', many.holderDocuments),
  ];
}

export function ratiosOfBriefs(sizes: ReadonlyMap<number, Wide>, hits: Hits) {
  const [narrow, wide] = [sizes.get(WIDE.few), sizes.get(WIDE.many)];
  if (narrow === undefined || wide === undefined) throw new Error('these widths were not measured');
  return [
    atMost('brief, 6,000 holders over 60, bytes', wide.bytes / narrow.bytes, 2),
    told('brief of 6,000 holders, KB', wide.bytes / 1_024),
    atMost('calls that the cache of briefs does not answer, Zipf(1)', 1 - hits.usual, 0.05),
    told('calls that a cache of 512 MB does not answer', 1 - hits.large),
  ];
}

function atMost(what: string, value: number, goal: number): Result {
  return { what, value, atMost: goal };
}

function told(what: string, value: number): Result {
  return { what, value };
}

function tableOf<T>(markets: Record<string, T>, line: (one: T) => object) {
  return Object.fromEntries(Object.entries(markets).map(([name, one]) => [name, line(one)]));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
