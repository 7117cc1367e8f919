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
import { sendMissingPage, wantsPage } from '../missing.ts';
import { SAMPLE } from '../sample.ts';
import { addPage, sendPage, sendText } from '../send-page.ts';
import { briefPage } from './brief-page.ts';
import { diffPage } from './diff-page.ts';

/** `/briefs/{brief_id}`, its bytes, and two of them compared: free for anyone who has the address (rule 11.20). */
export const mountBriefs: Mount = (app, api) => {
  addPage(app, '/briefs/:id.json', (req, res) =>
    withFound({ api, req, res }, storedOf(api, req.params['id']), ({ brief }) =>
      sendText(req, res, brief.body.toString('utf8'), 'application/json; charset=utf-8'),
    ),
  );
  addPage(app, '/briefs/:id', (req, res) =>
    withFound({ api, req, res }, storedOf(api, req.params['id']), ({ brief, isSuperseded }) =>
      sendPage(req, res, briefPage(contentOf(brief), { isSuperseded }), SCRIPTED_PAGE),
    ),
  );
  addPage(app, '/briefs/:id/diff/:other', (req, res) =>
    withFound({ api, req, res }, bothOf(api, req.params['id'], req.params['other']), ({ from, to }) =>
      sendPage(req, res, diffPage(contentOf(from.brief), contentOf(to.brief)), { caching: 'static' }),
    ),
  );
};

const SCRIPTED_PAGE = { caching: 'static', policy: SCRIPTED } as const;

/** What a page of a brief shows. */
type Stored = {
  readonly brief: { readonly body: Buffer };
  readonly isSuperseded: boolean;
};

function contentOf({ body }: Stored['brief']): Brief {
  return (JSON.parse(body.toString('utf8')) as { data: Brief }).data;
}

/** The brief that the landing page shows is there on every site. */
function sampleOf(briefId: string): Stored | null {
  if (briefId !== SAMPLE.brief_id) return null;
  return { brief: { body: Buffer.from(JSON.stringify({ data: SAMPLE })) }, isSuperseded: false };
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

async function withFound<Found>(
  { api, req, res }: PageCall,
  read: () => Promise<Found | null>,
  answer: (found: Found) => void,
): Promise<void> {
  const found = await withDeadline(api, (deadline) => api.turns.run(VISITORS, deadline, read));
  if (found.problem !== null) return refuse(req, res, found.problem);
  if (found.value === null) {
    return wantsPage(req) ? sendMissingPage(req, res, NO_BRIEF.message) : refuse(req, res, NO_BRIEF);
  }
  answer(found.value);
}

const NO_BRIEF = problem('brief_not_found', 'No brief with this id is stored here.');
