import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientBlock } from '../http/address.ts';
import { refuse } from '../http/reply.ts';
import { type Pausing, rateLimited } from './rate-limit.ts';

export type PageRate = { readonly pagesPerSecond: number; readonly pagesBurst: number };

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
