import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Mount } from '../../api/app.ts';
import { briefIdParam } from '../../api/endpoint/param.ts';
import { problem, unavailable } from '../../api/http/problem.ts';
import { refuse } from '../../api/http/reply.ts';
import { withDeadline } from '../../api/metering/with-deadline.ts';
import type { Api } from '../../api/open.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { answerStored } from '../../read/brief/brief.ts';
import { SCRIPTED } from '../assets.ts';
import { sendMissingPage, wantsPage } from '../mount.ts';
import { SAMPLE } from '../sample.ts';
import { addPage, type Kept, keptPage, keptText, sendKept } from '../send-page.ts';
import { briefPage } from './brief-page.ts';
import { diffPage } from './diff-page.ts';

/** `/briefs/{brief_id}`, its bytes, and two of them compared: free for anyone who has the address (rule 11.20). */
export const mountBriefs: Mount = (app, api) => {
  const answer = answering(api);
  addPage(app, '/briefs/:id.json', (req, res) =>
    answer(req, res, {
      find: () => storedOf(api, req.params['id']),
      make: ({ brief }) => keptText(brief.body, 'application/json; charset=utf-8', brief.gzip),
    }),
  );
  addPage(app, '/briefs/:id', (req, res) =>
    answer(req, res, {
      find: () => storedOf(api, req.params['id']),
      make: (found) => keptPage(res, briefPage(contentOf(found), found), SCRIPTED),
    }),
  );
  addPage(app, '/briefs/:id/diff/:other', (req, res) => {
    const { id, other } = req.params;
    return answer(req, res, {
      async find() {
        const [from, to] = await Promise.all([storedOf(api, id), storedOf(api, other)]);
        return from && to && { from, to };
      },
      make: ({ from, to }) => keptPage(res, diffPage(contentOf(from), contentOf(to))),
    });
  });
};

/** Some thousand pages. */
const KEPT_BYTES = 32 * 2 ** 20;
/** A page says at most so much later that its ticker shows another brief. */
const KEPT_MS = 60_000;
const MADE_PER_SECOND = 20;

/** What a page of a brief shows. */
type Stored = {
  readonly brief: { readonly body: Buffer; readonly gzip: Buffer };
  readonly isSuperseded: boolean;
};

function contentOf({ brief: { body } }: Stored): Brief {
  return (JSON.parse(body.toString('utf8')) as { data: Brief }).data;
}

let sample: Stored | null = null;

/** The brief that the landing page shows is there on every site. */
function sampleOf(briefId: string): Stored | null {
  if (briefId !== SAMPLE.brief_id) return null;
  if (sample === null) {
    const body = Buffer.from(JSON.stringify({ data: SAMPLE }));
    sample = { brief: { body, gzip: gzipSync(body) }, isSuperseded: false };
  }
  return sample;
}

async function storedOf({ db }: Api, text: unknown): Promise<Stored | null> {
  const id = briefIdParam.safeParse(text);
  return id.success ? ((await answerStored(db, id.data)) ?? sampleOf(id.data)) : null;
}

type Making<T> = {
  /** Null where there is no such brief, which takes no place of pages that are made. */
  readonly find: () => Promise<T | null>;
  readonly make: (found: T) => Kept | Promise<Kept>;
};

/** Answers from memory, and what is not there at a rate that all visitors share: those who pay share the process. */
function answering(api: Api) {
  const pages = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ gzip }) => gzip.byteLength,
    ttl: KEPT_MS,
  });
  const made = new RateLimiterMemory({ points: MADE_PER_SECOND, duration: 1 });
  return async <T>(req: Request, res: Response, { find, make }: Making<T>): Promise<void> => {
    // Decoded, so that a page has one key.
    const key = [req.route.path, ...Object.values(req.params)].join(' ');
    const known = pages.get(key);
    if (known !== undefined) return sendKept(req, res, known);
    const found = await withDeadline(api, find);
    if (found.problem !== null) return refuse(req, res, found.problem);
    if (found.value === null) {
      return wantsPage(req) ? sendMissingPage(req, res, NO_BRIEF.message) : refuse(req, res, NO_BRIEF);
    }
    if (!(await made.consume('all').catch(() => null))) {
      await api.overload.pause(res);
      return refuse(req, res, unavailable('Too many pages are being made. Nothing was charged.'));
    }
    const page = await make(found.value);
    pages.set(key, page);
    sendKept(req, res, page);
  };
}

const NO_BRIEF = problem('brief_not_found', 'No brief with this id is stored here.');
