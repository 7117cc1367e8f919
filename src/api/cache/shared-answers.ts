import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { acceptsGzip, encodedFor, type Reply } from '../http/reply.ts';

/** Until this age an answer is sent again (rule 11.23). */
const ANSWER_FRESH_MS = 1_000;
/** While one call reads it again, the others get the old answer for so long. */
const ANSWER_RENEWAL_MS = 250;
/** None is older when it is sent. */
export const MAX_ANSWER_AGE_MS = ANSWER_FRESH_MS + ANSWER_RENEWAL_MS;
const MAX_BYTES = 32 * 1_048_576;
/** Map entry, header lists and buffers, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;

/** Of the endpoint that answered, what its next answer needs. */
export type Ready = {
  readonly endpoint: Readonly<{ name: string; path: string; credits: number; csv?: boolean | undefined }>;
  readonly reply: Reply;
};

export type SharedAnswer = Ready & {
  /** The template of its route. */
  readonly route: string;
  /** The answer is old, and no call reads it again yet. */
  readonly mayRenew: boolean;
};

type Entry = {
  readonly endpoint: Ready['endpoint'];
  readonly route: string;
  readonly readAt: number;
  readonly plain: Reply;
  /** As clients asked for it so far, by whether they take gzip. */
  readonly encoded: Map<boolean, Reply>;
  isBeingRenewed: boolean;
};

/** `readAt`: before its data was read. */
type Read = Ready & { readonly readAt: number };

export type SharedAnswers = ReturnType<typeof sharedAnswers>;

/**
 * Answers that are the same for everybody, by the address as it was sent: another spelling is another entry. They
 * change report by report, so no published version covers them; what holds is their age (rule 11.23).
 * Only answers to valid calls are kept, each is charged as if it were read.
 */
export function sharedAnswers(now: () => number = () => performance.now()) {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    // Compressed it takes less than once more.
    sizeCalculation: ({ plain }, url) => 2 * (plain.body?.byteLength ?? 0) + url.length + ENTRY_OVERHEAD,
  });
  const ageOf = ({ readAt }: Entry): number => now() - readAt;
  const find = ({ url = '' }: IncomingMessage): Entry | undefined => entries.peek(url);
  let isSweeping = false;
  const sweepLater = (): void => {
    if (isSweeping || entries.size === 0) return;
    isSweeping = true;
    setTimeout(sweep, MAX_ANSWER_AGE_MS).unref();
  };
  const sweep = (): void => {
    isSweeping = false;
    for (const [url, entry] of entries.entries()) if (ageOf(entry) >= MAX_ANSWER_AGE_MS) entries.delete(url);
    sweepLater();
  };
  return {
    /** Keeps what was read unless it is old, or something newer is kept. Returns it as the client takes it. */
    keep(req: IncomingMessage, { endpoint, reply, readAt }: Read): Reply {
      const plain = inOwnMemory(reply);
      const route = `/v1${endpoint.path}`;
      const entry = { endpoint, route, readAt, plain, encoded: new Map(), isBeingRenewed: false };
      const isNewest = readAt > (find(req)?.readAt ?? Number.NEGATIVE_INFINITY);
      if (isNewest && ageOf(entry) < ANSWER_FRESH_MS) {
        entries.set(req.url ?? '', entry);
        sweepLater();
      }
      return replyOf(entry, req);
    },
    /** Null when it has to be read. The caller may be anybody: no one's answer depends on this call. */
    peek(req: IncomingMessage): SharedAnswer | null {
      const entry = find(req);
      if (entry === undefined || req.headers.accept?.includes('csv') === true) return null;
      const age = ageOf(entry);
      if (age >= MAX_ANSWER_AGE_MS) return null;
      const mayRenew = age >= ANSWER_FRESH_MS && !entry.isBeingRenewed;
      const { endpoint, route } = entry;
      return { endpoint, route, reply: replyOf(entry, req), mayRenew };
    },
    /** From now on this call reads the answer again, and no other. */
    renew(req: IncomingMessage): void {
      const entry = find(req);
      if (entry !== undefined) entry.isBeingRenewed = true;
    },
    /** How many are in memory. */
    count: (): number => entries.size,
  };
}

function replyOf({ endpoint, plain, encoded }: Entry, req: IncomingMessage): Reply {
  const takesGzip = acceptsGzip(req.headers['accept-encoding']);
  const known = encoded.get(takesGzip);
  if (known !== undefined) return known;
  const sent = encodedFor(req, plain, endpoint.csv === true ? 'Accept, ' : '');
  const reply = sent.body === plain.body ? sent : inOwnMemory(sent);
  encoded.set(takesGzip, reply);
  return reply;
}

/** A copy: what zlib returns, and a small buffer, are parts of a larger one that they would keep in memory. */
function inOwnMemory(reply: Reply): Reply {
  if (reply.body === null) return reply;
  const body = Buffer.allocUnsafeSlow(reply.body.byteLength);
  reply.body.copy(body);
  return { ...reply, body };
}
