import { UsageError } from '../errors.ts';

type Api = { readonly url: string; readonly briefId: string; readonly key: string | undefined };

/** All pages of a brief's evidence from a server, each as its JSON. Throws `UsageError` when one is refused. */
export async function fetchEvidence({ url, briefId, key }: Api): Promise<unknown[]> {
  const pages: unknown[] = [];
  let address: string | null =
    `${url.replace(/\/$/, '')}/v1/briefs/${encodeURIComponent(briefId)}/evidence?limit=500`;
  while (address !== null) {
    const answer: Response = await ask(address, key);
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) throw new UsageError(`${address}: ${messageOf(body) ?? `HTTP ${answer.status}`}`);
    pages.push(body);
    address = nextPage(address, answer.headers.get('link'));
  }
  return pages;
}

async function ask(address: string, key: string | undefined): Promise<Response> {
  try {
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return await fetch(address, { headers, redirect: 'error' });
  } catch {
    throw new UsageError(`${address}: no answer`);
  }
}

/** The page number of `rel="next"`, at the address that was asked: a proxy may know it by another name. */
function nextPage(address: string, link: string | null): string | null {
  const page = /[?&]page=(\d+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
  if (page === undefined) return null;
  const next = new URL(address);
  next.searchParams.set('page', page);
  return next.toString();
}

function messageOf(body: unknown): string | null {
  const isProblem = typeof body === 'object' && body !== null && 'message' in body;
  return isProblem ? String(body.message) : null;
}
