import { sequence } from '../queues/sequence.ts';
import { invalidateFollowers } from '../src/derive/report/invalidate-followers.ts';
import type { Ownership, ParsedFiling } from '../src/domain/filing/filing.ts';
import type { Accession } from '../src/domain/ids.ts';
import { publishedAtOf } from '../src/domain/report/fold.ts';
import { normaliseSymbol } from '../src/domain/security/symbol.ts';
import { AppError } from '../src/errors.ts';
import { requireForm } from '../src/forms/index.ts';
import { type Claim, claimFiling, endStage, quarantineFiling } from '../src/store/filing/claims.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { readRaw } from '../src/store/filing/raw.ts';
import { writeRows } from '../src/store/filing/rows.ts';
import { fitsInt64 } from '../src/store/mongo/pack.ts';
import { symbolsOfCik } from '../src/store/security/securities.ts';
import { underClaim } from './claimed.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A filing is quarantined when its parser broke this often without an answer. */
const MAX_CRASHES = 3;
const CRASH_LOOP = { code: 'crash_loop', reason: 'the parser broke or was killed three times' };
/** Longer than the parser's time limit and the writing of the largest table. */
const LEASE_MS = 90_000;
/** The stored bytes are missing or damaged: they are fetched again. */
const RAW_LOST = new Set(['raw_missing', 'raw_damaged']);

/** Parses the stored bytes; the same write says what has to follow. */
export const parse: Job<'parse'> = async (context, { accession }) => {
  const claim = await claimFiling(context.db, accession, {
    state: 'fetched',
    leaseMs: LEASE_MS,
    now: context.now(),
  });
  if (claim === null) return passOn(context, accession);
  await underClaim(context, claim, async () => {
    if (await parseClaimed(context, claim)) await passOn(context, accession);
  });
};

/** True when the filing was parsed and stored under its claim. */
async function parseClaimed(context: JobContext, claim: Claim): Promise<boolean> {
  const { filing } = claim;
  if (filing.tries > MAX_CRASHES) return quarantine(context, claim, CRASH_LOOP);
  const raw = filing.raw.at(-1) ?? '';
  const bytes = await readRaw(context.db, raw).catch((error: unknown) => {
    if (error instanceof AppError && RAW_LOST.has(error.code)) return null;
    throw error;
  });
  if (bytes === null) return fetchAgain(context, claim);
  const outcome = await context.parser.parse(bytes, filing._id);
  if (outcome.ok) return saveParsed(context, claim, { filing: outcome.filing, raw });
  return quarantine(context, claim, { code: outcome.code, reason: outcome.message });
}

async function quarantine(
  { db, log, now }: JobContext,
  claim: Claim,
  why: { readonly code: string; readonly reason: string },
): Promise<false> {
  await quarantineFiling(db, claim, { ...why, at: now().toISOString() });
  log.warn({ accession: claim.filing._id, ...why }, 'quarantined');
  return false;
}

async function fetchAgain({ db, now }: JobContext, claim: Claim): Promise<false> {
  await endStage(db, claim, { $set: { state: 'discovered', tries: 0, nextAt: now().toISOString() } });
  return false;
}

type Parsed = { readonly filing: ParsedFiling; readonly raw: string };

async function saveParsed(context: JobContext, claim: Claim, { filing, raw }: Parsed): Promise<boolean> {
  const { db, forms } = context;
  const { header } = filing;
  const form = requireForm(forms, header.form);
  const { issuer, rows, ...stored } = form.stored(filing);
  if (!fitsInt64(Object.values(stored.content).filter((value) => typeof value === 'bigint'))) {
    return quarantine(context, claim, { code: 'value_out_of_range', reason: 'the values exceed 64 bits' });
  }
  const table = { accession: header.accession, source: `${form.parserVersion}|${raw.slice(0, 16)}` };
  return endStage(db, claim, {
    $set: {
      ...stored,
      issuerCik: issuer?.cik ?? null,
      ticker: issuer === null ? '' : await tickerOf(db, issuer),
      rows: rows === null ? null : await writeRows(db, table, rows),
      state: 'parsed',
      tries: 0,
      quarantine: null,
      form: header.form,
      leg: form.leg,
      filedDate: header.filedDate,
      parserVersion: form.parserVersion,
      parsedRaw: raw,
      publishedAt: publishedAtOf(header),
      event: form.isEvent && claim.filing.seq === null ? 'pending' : claim.filing.event,
      derive: 'pending',
      followers: form.followers,
    },
  });
}

/** The symbol as filed, else the only known symbol of the issuer (rule 6.10), else empty. */
async function tickerOf(db: JobContext['db'], issuer: Ownership['issuer']): Promise<string> {
  const stated = normaliseSymbol(issuer.symbol);
  if (stated !== null) return stated;
  const [only = '', ...others] = await symbolsOfCik(db, issuer.cik);
  return others.length === 0 ? only : '';
}

/** Invalidates what follows from a parsed filing and enqueues it at once; dispatch repeats it if need be. */
async function passOn(context: JobContext, accession: Accession): Promise<void> {
  const filing = await filingsIn(context.db).findOne({ _id: accession });
  if (filing === null || filing.derive !== 'pending') return;
  const followers = await invalidateFollowers(context.db, filing);
  const slot = Math.floor(context.now().getTime() / 1_000);
  if (filing.event === 'pending') await context.producer.enqueue(sequence, { slot });
  if (followers.report.length > 0) await enqueuePendingReports(context, followers.report);
  if (followers.brief.length > 0) await enqueuePendingBriefs(context, followers.brief);
}
