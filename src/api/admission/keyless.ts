import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientBlock } from '../http/address.ts';
import { refuse } from '../http/reply.ts';
import { rateLimited } from './rate-limit.ts';

export type PageRate = { readonly pagesPerSecond: number; readonly pagesBurst: number };

type Pausing = { readonly pause: (res: ServerResponse) => Promise<void> };

/** What no key pays for, and what is not refused cheaply elsewhere (rule 11.4). */
export function isKeyless(url: string): boolean {
  return !/^\/(?:(?:v1|health)(?:[/?]|$)|mcp(?:\?|$))/.test(url);
}

/**
 * Bounds pages and files by address: their readers share the event loop with those who pay. 0 a second: no bound. A
 * refusal comes after a pause, so that a client that asks again at once costs little.
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
      return refuse(req, res, rateLimited('Your address asked for too many pages.', refused.msBeforeNext));
    }
    next();
  };
}
