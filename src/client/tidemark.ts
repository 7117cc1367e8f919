import createClient, { type Client } from 'openapi-fetch';
import { type FilingEvent, type Following, followEvents } from './events.ts';
import type { paths } from './schema.ts';

export type Settings = {
  /** Site address, without `/v1`: `https://tidemark.example`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch?: (request: Request) => Promise<Response>;
};

export type Tidemark = {
  /** Any endpoint by its path, typed by the description. Never throws for an HTTP status; see `answerOf`. */
  readonly get: Client<paths>['GET'];
  /** Every event after the cursor, without end: see {@link followEvents}. */
  readonly events: (since?: string, following?: Following) => AsyncGenerator<FilingEvent, void>;
};

/** A client of the API, typed by the API's description. */
export function tidemark({ baseUrl, key, fetch }: Settings): Tidemark {
  const client = createClient<paths>({
    baseUrl: `${baseUrl.replace(/\/+$/, '')}/v1`,
    headers: { Authorization: `Bearer ${key}` },
    querySerializer: { array: { style: 'form', explode: false } },
    ...(fetch === undefined ? {} : { fetch }),
  });
  return {
    get: client.GET,
    events: (since, following = {}) => followEvents(client, since, following),
  };
}
