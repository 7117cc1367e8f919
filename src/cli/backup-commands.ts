import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Services } from '../../packages/embedded/open.ts';
import { type CopiedCollection, dump, type Manifest } from '../backup/dump.ts';
import { load } from '../backup/load.ts';
import type { Context } from '../context.ts';
import { recallRevocations } from '../credits/account/key-record.ts';
import { drainLog } from '../credits/ledger/drain.ts';
import { fenceCredits, requireNoDrainer } from '../credits/ledger/fence.ts';
import { openHighestSeq } from '../credits/notices.ts';
import { creditStoreOf } from '../credits/store.ts';
import { STORE_VERSION } from '../store/filing/store-version.ts';
import { print, say, withContext } from './session.ts';

/** `tidemark backup` and `tidemark restore`. */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .argument('<dir>', 'a new folder')
    .action((dir: string) =>
      withContext(
        async (context) => {
          // A new home has an empty Redis: what only this one knows of balances is in the ledger first.
          await drainLog(creditStoreOf(context));
          const { db, now } = context;
          printSummary('Backed up', await dump(db, resolve(dir), { now, report: sayCollection }));
        },
        { anyStoreVersion: true },
      ),
    );
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .argument('<dir>', 'the folder of a backup')
    .addHelpText(
      'after',
      '\nStop all processes first. Afterwards: tidemark events check, tidemark credits check.',
    )
    .action((dir: string) => restore(resolve(dir)));
}

const CARRIED_OVER =
  'It is of an earlier store version: accounts, balances and the bytes of filings are here. Workers read these again, and derive the rest.';

async function restore(dir: string): Promise<void> {
  const [{ withQueue }, { requireNoSequencer, restoreFence }] = await Promise.all([
    import('../../jobs/worker/open.ts'),
    import('../../jobs/sequence.ts'),
  ]);
  const restoreInto = (context: Context, services: Services): Promise<void> =>
    withQueue(context.config, services, async ({ producer }) => {
      const { config, db, now, creditsRedis } = context;
      const highestSeq = openHighestSeq(creditsRedis, config.creditsTag, db.databaseName);
      const store = creditStoreOf(context);
      await requireNoSequencer(producer);
      await requireNoDrainer(store);
      const beforeOpen = async ({ lastEvent }: Manifest): Promise<void> => {
        // Readers may have seen more than the copy has, even where no Redis remembers it.
        await restoreFence({ db, producer, highestSeq, now }, lastEvent + 1);
        await requireNoDrainer(store);
        // A Redis that survived is ahead of the ledger that was restored.
        const { rebuilt } = await fenceCredits(store);
        if (rebuilt.length > 0) say(`${rebuilt.length} balances are later in Redis, and as there again.`);
        await recallRevocations(store);
      };
      const manifest = await load(db, dir, { report: sayCollection, beforeOpen });
      printSummary('Restored', manifest);
      if (manifest.storeVersion !== STORE_VERSION) print(CARRIED_OVER);
    });
  await withContext(restoreInto, { retryWrites: false });
}

function sayCollection({ name, documents, bytes }: CopiedCollection): void {
  say(
    `  ${name.padEnd(22)}${String(documents).padStart(10)} documents ${(bytes / 2 ** 20).toFixed(1).padStart(10)} MB`,
  );
}

function printSummary(verb: string, { collections, startedAt }: Manifest): void {
  const documents = collections.reduce((sum, { documents: n }) => sum + n, 0);
  print(`${verb} ${documents} documents of ${collections.length} collections, as of ${startedAt}.`);
}
