import { type IncomingMessage, ServerResponse } from 'node:http';

/** Called with the bytes of the body. */
type Act = (bytes: number) => void;

/**
 * A response that says when it has its whole answer: the work is over, although the bytes may wait for a slow
 * reader or behind other answers of the connection. Node has no event for that.
 */
export class AnnouncedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  private readonly acts: Act[] = [];

  whenGiven(act: Act): void {
    this.acts.push(act);
  }

  override end(...args: readonly unknown[]): this {
    const isFirst = !this.writableEnded;
    Reflect.apply(super.end, this, args);
    const [body] = args;
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
    if (isFirst) for (const act of this.acts) act(bytes);
    return this;
  }
}
