import { ServerResponse } from 'node:http';

/** Whose service answers. */
export type Operator = {
  /** The address of the service, for links in errors. */
  readonly siteUrl: string;
  /** Whom users ask, on every page. */
  readonly supportContact: string | undefined;
};

/** A response of this service, see {@link announcing}. */
export type AnnouncedResponse = ServerResponse & {
  readonly operator: Operator;
  /** `act` is called with the bytes of the body. */
  readonly whenGiven: (act: (bytes: number) => void) => void;
};

/**
 * Makes a response say when it has its whole answer: the work is over, although the bytes may wait for a slow
 * reader or behind other answers of the connection. Node has no event for that. It is no subclass, because
 * Express replaces the prototype.
 */
export function announcing(res: ServerResponse, operator: Operator): AnnouncedResponse {
  return Object.assign(res, { operator, [ACTS]: [], whenGiven, end });
}

const ACTS = Symbol('acts');
type Announcing = AnnouncedResponse & { readonly [ACTS]: ((bytes: number) => void)[] };

// Shared by all responses: methods of each would be made for every call.

function whenGiven(this: Announcing, act: (bytes: number) => void): void {
  this[ACTS].push(act);
}

function end(this: Announcing, ...args: readonly unknown[]): ServerResponse {
  const isFirst = !this.writableEnded;
  Reflect.apply(ServerResponse.prototype.end, this, args);
  const [body] = args;
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
  if (isFirst) for (const act of this[ACTS]) act(bytes);
  return this;
}

/** The address of the service; empty for a response that {@link announcing} never had. */
export function siteOf(res: ServerResponse): string {
  return (res as Partial<AnnouncedResponse>).operator?.siteUrl ?? '';
}

/** Whom users of the service ask: an e-mail address or an https address. */
export function contactOf(res: ServerResponse): string | undefined {
  return (res as Partial<AnnouncedResponse>).operator?.supportContact;
}
