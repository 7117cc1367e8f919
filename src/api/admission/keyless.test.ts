import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { announcedBy } from '../http/given.ts';
import { limitByAddress } from './rate-limit.ts';

const ServerResponse = announcedBy({ siteUrl: 'https://tidemark.test', supportContact: undefined });

test('an address that asks too often is refused, after a pause', async () => {
  const sentBefore: boolean[] = [];
  const pause = async (res: { readonly headersSent: boolean }) => void sentBefore.push(res.headersSent);
  const limit = limitByAddress({ pagesPerSecond: 1, pagesBurst: 1 }, 0, { pause });
  const ask = async () => {
    const req = new IncomingMessage(new Socket());
    const res = new ServerResponse(req);
    let isPassed = false;
    await limit(req as Request, res as unknown as Response, () => {
      isPassed = true;
    });
    return isPassed ? 'passed' : res.statusCode;
  };
  expect([await ask(), await ask()]).toEqual(['passed', 429]);
  expect(sentBefore).toEqual([false]);
});
