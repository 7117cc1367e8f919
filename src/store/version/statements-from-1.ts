import type { Db } from 'mongodb';
import type { SecurityMapping } from '../../domain/security/mapping.ts';
import { deleteByIds } from '../mongo/lists.ts';
import type { Beat } from '../mongo/lock.ts';
import { saveMappings } from '../security/securities.ts';

/** Version 1 kept a document for each file and form that states something; the company list had one. */
type StatementBefore = SecurityMapping & { _id: string; bare: string; issuer: string | null };

const BATCH = 2_000;

/** Joins equal statements and returns how many documents it joined. What is left after a crash is joined later. */
export async function migrateStatements(db: Db, beat: Beat): Promise<number> {
  const securities = db.collection<StatementBefore>('securities');
  let [batch, migrated]: [StatementBefore[], number] = [[], 0];
  const join = async (): Promise<void> => {
    await beat();
    await saveMappings(db, batch.map(mappingOf));
    await deleteByIds(
      securities,
      batch.map(({ _id }) => _id),
    );
    migrated += batch.length;
    batch = [];
  };
  const repeated = { source: { $ne: 'company_tickers' as const }, spans: { $exists: false } };
  for await (const doc of securities.find(repeated)) {
    batch.push(doc);
    if (batch.length === BATCH) await join();
  }
  await join();
  return migrated;
}

function mappingOf({ _id, bare: _bare, issuer: _issuer, ...mapping }: StatementBefore): SecurityMapping {
  return mapping;
}
