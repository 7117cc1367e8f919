/** A page as a browser without scripts has it. */
export type Seen = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Set-Cookie headers, as they came. */
  readonly cookies: readonly string[];
};

/** Somebody with a cookie jar at an address of their own. Redirects are not followed. */
export type Visitor = {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Seen>;
  /** Loads /connect and sends one of its forms, with the hidden fields that stand in it. */
  readonly send: (form: string, fields: Record<string, string>) => Promise<Seen>;
  /** Sends these fields and no other. */
  readonly post: (
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<Seen>;
  readonly jar: Map<string, string>;
};

let addresses = 0;

export function visitor(origin: string, address?: string): Visitor {
  addresses += 1;
  const from = address ?? `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`;
  const jar = new Map<string, string>();
  const ask = async (path: string, init: RequestInit & { headers: Record<string, string> }) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-forwarded-for': from, ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await fetch(`${origin}${path}`, { ...init, headers, redirect: 'manual' });
    const cookies = response.headers.getSetCookie();
    for (const set of cookies) keep(jar, set);
    return { status: response.status, headers: response.headers, text: await response.text(), cookies };
  };
  const post: Visitor['post'] = (path, fields, headers = {}) =>
    ask(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const get: Visitor['get'] = (path, headers = {}) => ask(path, { headers });
  return {
    jar,
    get,
    post,
    async send(form, fields) {
      const page = await get('/connect');
      return post(form, { ...hiddenOf(page.text, form, fields['key_id']), ...fields });
    },
  };
}

function keep(jar: Map<string, string>, set: string): void {
  const [pair = ''] = set.split(';', 1);
  const [name = '', value = ''] = pair.split('=', 2);
  if (/max-age=0/i.test(set)) jar.delete(name);
  else jar.set(name, value);
}

/** The hidden fields of the form with that action; of several, the one for that key. */
export function hiddenOf(text: string, action: string, keyId?: string): Record<string, string> {
  const forms = [...text.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)];
  const form = forms.find(
    ([, to, inside = '']) => to === action && (keyId === undefined || inside.includes(`value="${keyId}"`)),
  );
  const inside = form?.[2] ?? '';
  const hidden = inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

/** The key that a page shows. */
export function keyOn(seen: Seen): string {
  const key = /tm_(?:live|test)_[0-9A-Za-z]{46}/.exec(seen.text)?.[0];
  if (key === undefined) throw new Error(`no key on a page of status ${seen.status}`);
  return key;
}

export const idOf = (key: string): string => key.slice(8, 16);

let names = 0;

/** Signs up and answers the visitor, signed in, with the first key. */
export async function signedUp(origin: string) {
  const who = visitor(origin);
  names += 1;
  const seen = await who.send('/connect/sign-up', { organisation: `Organisation ${names}` });
  return { who, key: keyOn(seen), seen, name: `Organisation ${names}` };
}

export async function creditsOf(origin: string, key: string): Promise<{ status: number; balance: number }> {
  const response = await fetch(`${origin}/v1/credits`, { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as { data?: { balance: number } };
  return { status: response.status, balance: body.data?.balance ?? -1 };
}
