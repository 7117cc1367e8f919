import type { Db } from 'mongodb';
import type { QUEUES, QueueName } from '../../queues/index.ts';
import type { QueueSpec } from '../../queues/queue.ts';
import type { Config } from '../../src/config.ts';
import type { HighestSeq } from '../../src/credits/notices.ts';
import type { CreditStore } from '../../src/credits/store.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import type { EdgarClient } from '../../src/edgar/client/open.ts';
import type { FormModule } from '../../src/forms/index.ts';
import type { Logger } from '../../src/log.ts';
import type { ParsePool } from './parse-pool.ts';
import type { Precedence, Turns } from './precedence.ts';
import type { Producer } from './producer.ts';

/** What a job may use. Opened once per worker process. */
export type JobContext = {
  readonly config: Config;
  readonly db: Db;
  /** For the check of the ledger. */
  readonly credits: CreditStore;
  readonly edgar: EdgarClient;
  /** The forms that are carried. */
  readonly forms: readonly FormModule[];
  readonly parser: ParsePool;
  /** Of the filings that this process parses. */
  readonly parsing: Turns;
  /** Of the comparisons of live filings in this process. */
  readonly comparing: Turns;
  /** Of live filings over history in this process. */
  readonly precedence: Precedence;
  readonly producer: Producer;
  readonly highestSeq: HighestSeq;
  /** Informs the API processes that a ticker shows another brief. */
  readonly announceCurrentBrief: (ticker: Ticker) => Promise<void>;
  /** Informs the API processes that another corpus was published. */
  readonly announceCorpus: () => Promise<void>;
  readonly log: Logger;
  readonly now: () => Date;
  /** Aborted when the worker is asked to stop: a job of many minutes ends after the piece in progress. */
  readonly stopping: AbortSignal;
};

type PayloadOf<Name extends QueueName> =
  (typeof QUEUES)[Name] extends QueueSpec<infer Payload> ? Payload : never;

/** What happens on a queue. A job is safe to run twice and reads load → decide → save → pass on. */
export type Job<Name extends QueueName> = (context: JobContext, payload: PayloadOf<Name>) => Promise<void>;
