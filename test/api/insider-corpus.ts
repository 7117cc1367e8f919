import type { Db } from 'mongodb';
import { insider } from '../../jobs/insider.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { invalidateFollowers } from '../../src/derive/report/invalidate-followers.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik } from '../../src/domain/ids.ts';
import { publishedAtOf } from '../../src/domain/report/fold.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';

export const RAW = 'ab'.repeat(32);

/** Stores forms as if they had been parsed, and lists their trades as the pipeline does. */
export async function seedForms(db: Db, forms: readonly Ownership[]): Promise<void> {
  const docs = forms.map(form4Doc);
  await filingsIn(db).insertMany(docs);
  for (const doc of docs) await invalidateFollowers(db, doc);
  for (const cik of new Set(forms.map((form) => form.issuer.cik))) await reconcile(db, cik);
}

/** All that the job uses of a worker's context is the database. */
export async function reconcile(db: Db, cik: Cik): Promise<void> {
  await insider({ db } as JobContext, { cik, version: 1 });
}

export function form4Doc(form: Ownership): FilingDoc {
  return {
    ...filingDoc(form.header.accession, form.form),
    cik: form.issuer.cik,
    company: form.issuer.name,
    filedDate: form.header.filedDate,
    state: 'parsed',
    parserVersion: 'form4-1',
    parsedRaw: RAW,
    retrievedAt: '2018-11-30T08:00:00.000Z',
    publishedAt: publishedAtOf(form.header),
    derive: 'pending',
    ownership: form,
    issuerCik: form.issuer.cik,
    ownerCiks: form.owners.map((owner) => owner.cik),
  };
}

/** A filing of which only the index has told. */
export function filingDoc(accession: Accession, form: string): FilingDoc {
  return {
    _id: accession,
    form,
    cik: '0000000001' as Cik,
    company: 'MADE UP',
    filedDate: '2018-11-01' as FilingDoc['filedDate'],
    state: 'discovered',
    discoveredAt: '',
    nextAt: '',
    attempt: 0,
    fence: 0,
    raw: [],
    retrievedAt: null,
    parserVersion: null,
    parsedRaw: null,
    publishedAt: null,
    event: 'none',
    seq: null,
    derive: 'none',
    quarantine: null,
    thirteenF: null,
    ownership: null,
    issuerCik: null,
    ownerCiks: [],
    ticker: '',
  };
}
