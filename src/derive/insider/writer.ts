import type { Db } from 'mongodb';
import type { Ownership } from '../../domain/filing/filing.ts';
import type { Accession, Cik } from '../../domain/ids.ts';
import { daysOf } from '../../domain/insider/trade.ts';
import { allRowsOf, rowsById } from '../../domain/insider/trades.ts';
import { ownershipAmong, ownershipOfIssuer } from '../../store/filing/filings.ts';
import { requireAsOf } from '../../store/filing/settings.ts';
import { pendingFilings, settleFilings } from '../../store/invalidation/named-filings.ts';
import { addLines, saveLines } from '../../store/trade/lines.ts';
import { contentOf, type KnownRow, NO_CONTENT, rowsNear, rowsOfIssuer } from '../../store/trade/trades.ts';
import { beginRows, endRun, saveRows } from '../../store/trade/writer.ts';

/**
 * Reconciles the changed forms of a pending issuer with those that they are compared with, or all of its forms
 * where any may have changed, and stores the transaction rows. The version is read before the forms: a form that
 * arrives during the work leaves the issuer pending, and it is reconciled again.
 */
export async function reconcileIssuer(db: Db, cik: Cik): Promise<void> {
  const pending = await pendingFilings(db, cik);
  if (pending === null) return;
  const { version, filings } = pending;
  const asOf = await requireAsOf(db);
  const begun = await beginRows(db, cik, version);
  if (begun !== null) {
    const found = filings === null ? await allRows(db, cik) : await rowsAround(db, cik, filings);
    const trades = allRowsOf(found.forms, asOf).filter(({ id }) => found.ids.has(id));
    // Rows of forms after the as-of date are stored empty until the day comes.
    const contents = new Map([...found.ids].map((id) => [id, NO_CONTENT]));
    for (const trade of trades) contents.set(trade.id, contentOf(trade));
    await (filings === null ? saveLines : addLines)(db, cik, { trades, version });
    await saveRows(db, cik, { contents, known: found.known, version });
    await endRun(db, cik, begun);
  }
  await settleFilings(db, cik, version);
}

/** Forms of an issuer, and the rows that they decide completely. */
type IssuerRows = {
  readonly forms: readonly Ownership[];
  /** Ids of these rows. The forms may have others, about which forms that were not read decide too. */
  readonly ids: ReadonlySet<string>;
  /** What is stored of them, and of others. */
  readonly known: ReadonlyMap<string, KnownRow>;
};

/** Every form and row of an issuer. */
async function allRows(db: Db, issuerCik: Cik): Promise<IssuerRows> {
  const forms = await ownershipOfIssuer(db, issuerCik);
  const known = new Map((await rowsOfIssuer(db, issuerCik)).map((row) => [row._id, row]));
  return {
    forms,
    ids: new Set([...forms.flatMap((form) => [...rowsById(form).keys()]), ...known.keys()]),
    known,
  };
}

/**
 * What changed filings can have changed: their own rows, as stored and as read now, and all rows that are compared
 * with these, directly or through others. Rows of different days are not compared ({@link daysOf}). So this is what
 * insiders did on a few days, however many forms the issuer has.
 */
export async function rowsAround(db: Db, issuerCik: Cik, changed: readonly Accession[]): Promise<IssuerRows> {
  const forms = new Map<Accession, Ownership>();
  const known = new Map<string, KnownRow>();
  const reached = new Set<string>(changed);
  const asked = new Set<string>();
  for (;;) {
    const filings = [...changed, ...[...known.keys()].map(accessionOf)].filter((one) => !asked.has(one));
    for (const form of await ownershipAmong(db, issuerCik, filings)) forms.set(form.header.accession, form);
    const rows = keysOfRows(forms.values(), known);
    spread(reached, rows);
    const keys = [...new Set([...filings, ...reached])].filter((key) => !asked.has(key));
    if (keys.length === 0) return { forms: [...forms.values()], ids: reachedAmong(rows, reached), known };
    for (const key of keys) asked.add(key);
    for (const row of await rowsNear(db, issuerCik, keys)) known.set(row._id, row);
  }
}

const accessionOf = (id: string): Accession => id.slice(0, id.indexOf(':')) as Accession;

/** The filing and the days of each row, as it is stored and as it is read now. */
function keysOfRows(forms: Iterable<Ownership>, known: ReadonlyMap<string, KnownRow>) {
  const keys = new Map([...known].map(([id, { near }]) => [id, new Set(near)]));
  for (const form of forms) {
    for (const [id, row] of rowsById(form)) {
      keys.set(id, new Set([...(keys.get(id) ?? []), form.header.accession, ...daysOf(form, row)]));
    }
  }
  return keys;
}

type Keys = ReadonlyMap<string, ReadonlySet<string>>;

/** Adds the days of rows that are reached, until no further row is. A filing reaches its rows, not they their filing. */
function spread(reached: Set<string>, rows: Keys): void {
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const id of reachedAmong(rows, reached)) {
      for (const key of rows.get(id) ?? []) if (key !== accessionOf(id)) reached.add(key);
    }
  }
}

function reachedAmong(rows: Keys, reached: ReadonlySet<string>): Set<string> {
  return new Set([...rows].flatMap(([id, keys]) => ([...keys].some((key) => reached.has(key)) ? [id] : [])));
}
