import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { acceptsGzip, encodedFor, type Reply } from '../http/reply.ts';

/** How long an answer is sent again. The search in memory is as far behind. */
const FRESH_MS = 1_000;
/** While the first call after that reads again, the others get the old answer for so long. */
const RENEWAL_MS = 250;
const MAX_BYTES = 32 * 1_048_576;
/** Map entry and header lists, in addition to the bytes. */
const ENTRY_OVERHEAD = 2_048;

/** Of the endpoint that answered, what its next answer needs. */
export type Ready = {
  readonly endpoint: Readonly<{ name: string; path: string; credits: number; csv?: boolean }>;
  readonly reply: Reply;
};

type Entry = {
  readonly endpoint: Ready['endpoint'];
  readonly plain: Reply;
  /** As clients asked for it so far, by whether they take gzip. */
  readonly encoded: Map<boolean, Reply>;
  until: number;
  isRenewed: boolean;
};

/** `readAt`: before its data was read. */
type Kept = Ready & { readonly readAt: number };

/**
 * Answers that are the same for everybody, by the address as it was sent: another spelling is another entry. They
 * change report by report, so no published version covers them; what holds is that none is older than
 * a second and a quarter. Only answers to valid calls are kept, each is charged as if it were read.
 */
export function sharedAnswers(now: () => number = () => performance.now()) {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    // Compressed it takes less than once more.
    sizeCalculation: ({ plain }, url) => 2 * (plain.body?.byteLength ?? 0) + url.length + ENTRY_OVERHEAD,
  });
  return {
    keep({ url = '' }: IncomingMessage, { endpoint, reply, readAt }: Kept): void {
      const until = readAt + FRESH_MS;
      const entry = { endpoint, plain: reply, encoded: new Map(), until, isRenewed: false };
      if (until > now()) entries.set(url, entry);
    },
    /** Null when it has to be read. */
    peek(req: IncomingMessage): Ready | null {
      const entry = entries.get(req.url ?? '');
      if (entry === undefined || req.headers.accept?.includes('csv') === true) return null;
      if (now() < entry.until) return { endpoint: entry.endpoint, reply: replyOf(entry, req) };
      if (entry.isRenewed) entries.delete(req.url ?? '');
      entry.until += RENEWAL_MS;
      entry.isRenewed = true;
      return null;
    },
  };
}

function replyOf({ endpoint, plain, encoded }: Entry, req: IncomingMessage): Reply {
  const takesGzip = acceptsGzip(req.headers['accept-encoding']);
  const known = encoded.get(takesGzip);
  if (known !== undefined) return known;
  const reply = encodedFor(req, plain, endpoint.csv === true ? 'Accept, ' : '');
  encoded.set(takesGzip, reply);
  return reply;
}
