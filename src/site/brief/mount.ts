import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import type { Mount } from '../../api/app.ts';
import { briefIdParam } from '../../api/endpoint/param.ts';
import { problem } from '../../api/http/problem.ts';
import { refuse } from '../../api/http/reply.ts';
import { withDeadline } from '../../api/metering/with-deadline.ts';
import type { Api } from '../../api/open.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { answerStored } from '../../read/brief/stored.ts';
import { SCRIPTED } from '../assets.ts';
import { keptPages, sendKept, sendPacked } from '../kept-pages.ts';
import { sendMissingPage, wantsPage } from '../missing.ts';
import { SAMPLE } from '../sample.ts';
import { addPage, textHeaders } from '../send-page.ts';
import { briefPage } from './brief-page.ts';
import { diffPage } from './diff-page.ts';

/** `/briefs/{brief_id}`, its bytes, and two of them compared: free for anyone who has the address (rule 11.20). */
export const mountBriefs: Mount = (app, api) => {
  const pages = keptPages(KEPT_BYTES);
  addPage(app, '/briefs/:id.json', (req, res) =>
    withFound({ api, req, res }, storedOf(api, req.params['id']), ({ brief }) => {
      const headers = [...textHeaders(req, 'application/json; charset=utf-8'), 'Vary', 'Accept-Encoding'];
      return () => sendPacked(req, res, brief.gzip, headers);
    }),
  );
  addPage(app, '/briefs/:id', (req, res) =>
    withFound({ api, req, res }, storedOf(api, req.params['id']), ({ brief, isSuperseded }) => {
      const render = () => briefPage(contentOf(brief), { isSuperseded });
      const page = pages.keep(res, `${req.params['id']} ${isSuperseded}`, render);
      return () => sendKept(req, res, page, { policy: SCRIPTED });
    }),
  );
  addPage(app, '/briefs/:id/diff/:other', (req, res) => {
    const { id, other } = req.params;
    const key = `${id} to ${other}`;
    // Briefs that were answered stay, so their difference needs no read.
    const kept = pages.find(key);
    if (kept !== null) return sendKept(req, res, kept);
    return withFound({ api, req, res }, bothOf(api, id, other), ({ from, to }) => {
      const page = pages.keep(res, key, () => diffPage(contentOf(from.brief), contentOf(to.brief)));
      return () => sendKept(req, res, page);
    });
  });
};

/** Some thousand pages. */
const KEPT_BYTES = 32 * 2 ** 20;

/** What a page of a brief shows. */
type Stored = {
  readonly brief: { readonly body: Buffer; readonly gzip: Buffer };
  readonly isSuperseded: boolean;
};

function contentOf({ body }: Stored['brief']): Brief {
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

function storedOf({ db }: Api, text: unknown): () => Promise<Stored | null> {
  const id = briefIdParam.safeParse(text);
  return async () => (id.success ? ((await answerStored(db, id.data)) ?? sampleOf(id.data)) : null);
}

function bothOf(api: Api, id: unknown, other: unknown) {
  return async () => {
    const [from, to] = await Promise.all([storedOf(api, id)(), storedOf(api, other)()]);
    return from === null || to === null ? null : { from, to };
  };
}

/** All visitors together take the turns of one organisation, so that they cannot crowd out those who pay. */
const VISITORS = 'visitors of pages';

type PageCall = { readonly api: Api; readonly req: Request; readonly res: Response };

/** @param prepare builds the whole answer, in the turn, and returns what sends it */
async function withFound<Found>(
  { api, req, res }: PageCall,
  read: () => Promise<Found | null>,
  prepare: (found: Found) => () => void,
): Promise<void> {
  const prepared = async () => {
    const stored = await read();
    return stored === null ? null : prepare(stored);
  };
  const found = await withDeadline(api, (deadline) => api.turns.run(VISITORS, deadline, prepared));
  if (found.problem !== null) return refuse(req, res, found.problem);
  if (found.value === null) {
    return wantsPage(req) ? sendMissingPage(req, res, NO_BRIEF.message) : refuse(req, res, NO_BRIEF);
  }
  found.value();
}

const NO_BRIEF = problem('brief_not_found', 'No brief with this id is stored here.');
