import type { Db } from 'mongodb';
import { workerData } from 'piscina';
import { refreshLastHeld } from '../derive/report/fund-writer.ts';
import type { Cik } from '../domain/ids.ts';
import { openMongo } from '../mongo.ts';
import { noteUnit, type UnitResult } from '../store/filing/data-sets.ts';
import { importFilings } from './filings.ts';
import { reconcileIssuers } from './issuers.ts';
import { computeReports } from './reports.ts';
import type { Unit } from './unit.ts';

export type ThreadData = { readonly mongoUrl: string; readonly mongoDb: string };
export type UnitTask = { readonly unit: Unit; readonly at: string };

let opened: ReturnType<typeof openMongo> | null = null;

/** One connection for all units of the thread; it ends with the thread. */
async function openOnce(): Promise<Db> {
  const { mongoUrl, mongoDb } = workerData as ThreadData;
  opened ??= openMongo(mongoUrl, mongoDb, { retryWrites: false });
  return (await opened).db;
}

/** Runs in a worker thread. What is done is no longer pending. */
export async function reconcile(issuers: readonly Cik[]): Promise<void> {
  await reconcileIssuers(await openOnce(), issuers);
}

/** Runs in a worker thread: writes what the managers hold by their last tables. */
export async function refreshHeld(ciks: readonly Cik[]): Promise<void> {
  await refreshLastHeld(await openOnce(), ciks);
}

/** Runs in a worker thread: does a unit, and notes last that it is done. */
export async function runUnit({ unit, at }: UnitTask): Promise<UnitResult> {
  const db = await openOnce();
  const result = await resultOf(db, unit, at);
  await noteUnit(db, unit.key, { result, at });
  return result;
}

async function resultOf(db: Db, { key, work }: Unit, at: string): Promise<UnitResult> {
  switch (work.stage) {
    case 'filings':
      return importFilings(db, work, { dataSet: key.name, at });
    case 'reports':
      return computeReports(db, work.reports);
  }
}
