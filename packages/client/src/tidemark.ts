import createClient, { type Client } from 'openapi-fetch';
import { type FilingEvent, type Following, followEvents } from './events.ts';
import { type Fetch, retrying } from './retry.ts';
import type { paths } from './schema.ts';

export type Settings = {
  /** Site address, without `/v1`: `https://tidemark.example`. Plain HTTP only on this machine. */
  readonly baseUrl: string;
  readonly key: string;
  /** How often a call is tried again after 429, 5xx or a lost connection; 4 unless given. */
  readonly retries?: number;
  /** Milliseconds for one try; 60,000 unless given. */
  readonly timeoutMs?: number;
  readonly fetch?: Fetch;
};

export type Tidemark = {
  /** Any endpoint by its path, typed by the description. Never throws for an HTTP status; see `answerOf`. */
  readonly get: Client<paths>['GET'];
  /** Every event after the cursor, without end: see {@link followEvents}. */
  readonly events: (since?: string, following?: Following) => AsyncGenerator<FilingEvent, void>;
};

/** A client of the API, typed by the API's description. Throws for an address that would show the key. */
export function tidemark({ baseUrl, key, retries = 4, timeoutMs = 60_000, fetch }: Settings): Tidemark {
  requireSafe(new URL(baseUrl));
  const trying = (times: number): Client<paths> =>
    createClient<paths>({
      baseUrl: `${baseUrl.replace(/\/+$/, '')}/v1`,
      headers: { Authorization: `Bearer ${key}` },
      querySerializer: { array: { style: 'form', explode: false } },
      fetch: retrying({ retries: times, timeoutMs, fetch: fetch ?? globalThis.fetch }),
    });
  const endless = trying(Number.POSITIVE_INFINITY);
  return {
    get: trying(retries).GET,
    events: (since, following = {}) => followEvents({ client: endless, timeoutMs }, since, following),
  };
}

/** The key goes with every request. */
function requireSafe({ protocol, hostname }: URL): void {
  if (protocol === 'https:') return;
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== 'http:' || !isHere) throw new TypeError('baseUrl must be https, or http on this machine');
}
