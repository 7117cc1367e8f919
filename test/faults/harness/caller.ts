import { setTimeout as sleep } from 'node:timers/promises';

/** An answer as a customer counts it. */
export type Receipt = {
  /** 0: no answer, or only a part of one. */
  readonly status: number;
  /** Credits, as the answer says. */
  readonly charged: number;
  readonly ms: number;
};

/** An answer with its bytes. */
type Answer = Receipt & { readonly body: Buffer };

type Order = {
  readonly url: string;
  readonly key: string;
  /** The call may be sent again under this name. */
  readonly name?: string;
};

const GIVE_UP_MS = 60_000;

/** One call to its last byte. It never throws: a lost answer is a receipt too. */
export async function call({ url, key, name }: Order): Promise<Answer> {
  const started = performance.now();
  const headers = {
    authorization: `Bearer ${key}`,
    ...(name === undefined ? {} : { 'idempotency-key': name }),
  };
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(GIVE_UP_MS) });
    const body = Buffer.from(await answer.arrayBuffer());
    const charged = Number(answer.headers.get('x-credits-charged') ?? 0);
    return { status: answer.status, charged, ms: performance.now() - started, body };
  } catch {
    return { status: 0, charged: 0, ms: performance.now() - started, body: Buffer.alloc(0) };
  }
}

type Load = {
  /** Whether a call of this number, from 0, is still to be made. */
  readonly more: (n: number) => boolean;
  readonly atOnce: number;
};

/** As Retry-After asks, but sooner: a refused customer tries again. */
const AFTER_REFUSAL_MS = 20;

/** Makes calls one after another in as many lanes as `atOnce`; returns the receipts in the order of the calls. */
export async function callAll(
  { more, atOnce }: Load,
  make: (n: number) => Promise<Receipt>,
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (more(next)) {
      const n = next;
      next += 1;
      const { status, charged, ms } = await make(n);
      receipts[n] = { status, charged, ms };
      if (status !== 200) await sleep(AFTER_REFUSAL_MS);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return receipts;
}

/** How many answers had each status. */
export function countsOf(receipts: readonly Receipt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of receipts) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A percentile of the time to the last byte, in whole milliseconds. */
export function percentile(receipts: readonly Receipt[], share: number): number {
  const sorted = receipts.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}
