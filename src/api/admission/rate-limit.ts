import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../credits/wallet.ts';
import { clientBlock } from '../http/address.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { type Problem, problem, RETRY_AFTER } from '../http/problem.ts';
import { refuse } from '../http/reply.ts';

/**
 * The headers for the rate limit of the organisation (rule 12.5, draft-ietf-httpapi-ratelimit-headers): the policy,
 * the calls left at once, and the seconds until the burst is complete again. None without a limit or
 * for a call that was not counted.
 */
export function rateLimitHeaders(rateLimit: RateLimit | undefined, calls: number | null): HeaderList {
  if (rateLimit === undefined || calls === null) return [];
  const { perSecond, burst } = rateLimit;
  return [
    ...['RateLimit', `"organization";r=${calls};t=${Math.ceil((burst - calls) / perSecond)}`],
    ...['RateLimit-Policy', `"organization";q=${burst};w=${Math.ceil(burst / perSecond)}`],
  ];
}

/** The organisation exceeded its rate limit; it has one call again in `waitMs`. */
export function callRateLimited(rateLimit: RateLimit | undefined, waitMs: number): Problem {
  const headers = rateLimitHeaders(rateLimit, 0);
  return rateLimited('Your organisation sent too many calls. Nothing was charged.', waitMs, headers);
}

/** The sentence says how long to wait: an agent reads no headers. */
export function rateLimited(message: string, waitMs: number, headers: HeaderList = []): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const wait = `Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`;
  return problem('rate_limited', `${message} ${wait}`, {
    headers: [...headers, RETRY_AFTER, String(seconds)],
  });
}

/**
 * Remembers until when organisations are over their rate, so that the calls beyond it cost no command of Redis.
 * At the default rate that is some milliseconds, after which Redis judges again.
 */
export function rememberOverRate(now: () => number = () => performance.now()) {
  const until = new Map<string, number>();
  return {
    note(orgId: string, waitMs: number): void {
      if (until.size >= MAX_REMEMBERED) until.clear();
      until.set(orgId, now() + waitMs);
    },
    /** Milliseconds that a call of the organisation would have to wait; 0 when Redis has to judge. */
    waitOf(orgId: string): number {
      const end = until.get(orgId);
      if (end === undefined) return 0;
      const wait = end - now();
      if (wait > 0) return wait;
      until.delete(orgId);
      return 0;
    },
  };
}

const MAX_REMEMBERED = 10_000;
const WINDOW_SECONDS = 60;

/**
 * Look-ups that an address still has after its failures: a neighbour must not lock a good key out. Each key id
 * that may be ours has so many of its own, because strangers cannot make up many of them; all other ids share
 * as many.
 */
const LOOK_UPS_A_SECOND = 10;

/** A key with the right checksum, which may be a good one. */
type WellFormed = {
  readonly keyId: string;
  /** Whether its id looks as if we had made it. */
  readonly mayBeOurs: boolean;
};

type Pausing = { readonly pause: (res: ServerResponse) => Promise<void> };

/**
 * Limits how often an address may fail to authenticate at this process: `perMinute` times, 0 for unlimited. It is
 * checked before any look-up, so guessing keys costs Redis and MongoDB next to nothing. What is refused waits for a
 * pause first. `hops` proxies in front are trusted.
 */
export function openAuthFailureLimiter(perMinute: number, hops: number, { pause }: Pausing) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  const lookUps = new RateLimiterMemory({ points: LOOK_UPS_A_SECOND, duration: 1 });
  return {
    /** Why the address is refused now; null when it may try. */
    async refuse(req: IncomingMessage, res: ServerResponse, key: WellFormed | null): Promise<Problem | null> {
      if (perMinute === 0) return null;
      const block = clientBlock(req, hops);
      const seen = await limiter.get(block);
      if (seen === null || seen.consumedPoints < perMinute) return null;
      const name = key?.mayBeOurs ? `${block}|${key.keyId}` : block;
      const mayTry = key !== null && (await lookUps.consume(name).then(yes, no));
      if (mayTry) return null;
      await pause(res);
      return rateLimited(ADDRESS_LIMITED, seen.msBeforeNext);
    },
    /** Counts a failure of the address. */
    async count(req: IncomingMessage, res: ServerResponse): Promise<void> {
      if (perMinute === 0) return;
      // Above the limit the limiter rejects, but it has counted.
      await limiter.consume(clientBlock(req, hops)).catch(() => undefined);
      await pause(res);
    },
  };
}

const ADDRESS_LIMITED =
  'This address failed to authenticate too often. A good key that is new here may be refused until then, too.';

const yes = (): boolean => true;
const no = (): boolean => false;

type PageRate = { readonly pagesPerSecond: number; readonly pagesBurst: number };

const CALLS: Readonly<Record<string, RegExp>> = { GET: /^\/v1(?:[/?]|$)/, POST: /^\/mcp\/?(?:\?|$)/ };

/** Whether no key pays for it: pages, files and health, and of the paths of calls all other methods (rule 11.4). */
export function isKeyless({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return CALLS[method]?.test(url) !== true;
}

/**
 * A probe of health, what a browser asks before a call, and what agents try at `/mcp` beside it, which is 405: never
 * refused, at most late.
 */
export function mustPass({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  const isBesideCalls = method !== 'POST' && CALLS['POST']?.test(url) === true;
  return method === 'OPTIONS' || url.startsWith('/health/') || isBesideCalls;
}

/**
 * Bounds by address what is asked without a key: those who ask share the event loop with those who pay. 0 a second: no
 * bound. Beyond it comes a pause, so that a client that asks again at once costs little, and then a refusal.
 */
export function limitByAddress(rate: PageRate, hops: number, overload: Pausing): RequestHandler {
  const { pagesPerSecond: perSecond, pagesBurst: burst } = rate;
  if (perSecond === 0) return (_req, _res, next) => next();
  const limiter = new RateLimiterMemory({ points: burst, duration: burst / perSecond });
  return async (req: Request, res: Response, next: NextFunction) => {
    try {
      await limiter.consume(clientBlock(req, hops));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      await overload.pause(res);
      if (mustPass(req)) return next();
      return refuse(req, res, rateLimited('Your address asked for too many pages.', refused.msBeforeNext));
    }
    next();
  };
}
