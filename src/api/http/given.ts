import { type IncomingMessage, ServerResponse } from 'node:http';

/** Whose service answers. */
export type Operator = {
  /** The address of the service, for links in errors. */
  readonly siteUrl: string;
  /** Whom users ask, on every page. */
  readonly supportContact: string | undefined;
};

/** A response of this service, see {@link announcedBy}. */
export type AnnouncedResponse = ServerResponse & {
  readonly operator: Operator;
  /** `act` is called with the bytes of the body. */
  readonly whenGiven: (act: (bytes: number) => void) => void;
};

/** A class of Node's server: no code that uses it sees another response than {@link AnnouncedResponse}. */
type ResponseClass = typeof ServerResponse & (new (req: IncomingMessage) => AnnouncedResponse);

/**
 * The responses of a server, which say when they have their whole answer: the work is over, although the bytes may
 * wait for a slow reader or behind other answers of the connection. Node has no event for that. It makes the responses
 * of a server by a class, so this is one. What they add is their own and not their prototype's, because Express
 * replaces the prototype.
 */
export function announcedBy(operator: Operator): ResponseClass {
  class Announced extends ServerResponse {
    declare readonly operator: Operator;
    declare readonly acts: ((bytes: number) => void)[];
    declare readonly whenGiven: (act: (bytes: number) => void) => void;

    constructor(...args: [req: IncomingMessage]) {
      // With the options that Node gives and its types do not know.
      super(...args);
      this.operator = operator;
      this.acts = [];
      this.whenGiven = whenGiven;
      this.end = end as typeof this.end;
    }
  }
  return Announced as ResponseClass;
}

type Announcing = ServerResponse & { readonly acts: ((bytes: number) => void)[] };

const endBare = ServerResponse.prototype.end as (this: ServerResponse, ...args: unknown[]) => ServerResponse;

// Shared by all responses: methods of each would be made for every call.

function whenGiven(this: Announcing, act: (bytes: number) => void): void {
  this.acts.push(act);
}

function end(this: Announcing, body?: unknown, ...rest: readonly unknown[]): ServerResponse {
  const isFirst = !this.writableEnded;
  endBare.call(this, body, ...rest);
  const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
  if (isFirst) for (const act of this.acts) act(bytes);
  return this;
}

/** The address of the service; empty for a response of another server. */
export function siteOf(res: ServerResponse): string {
  return (res as Partial<AnnouncedResponse>).operator?.siteUrl ?? '';
}

/** Whom users of the service ask: an e-mail address or an https address. */
export function contactOf(res: ServerResponse): string | undefined {
  return (res as Partial<AnnouncedResponse>).operator?.supportContact;
}
