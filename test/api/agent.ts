import { request } from 'node:http';
import { type Answer, openStage, type Stage } from './stage.ts';

/** A stage that is reached by its address, and a client that speaks plain JSON-RPC to it. */
export type Agent = {
  readonly stage: Stage;
  readonly url: string;
  /** Any body; a string goes as it is. Only Authorization and Content-Type by default. */
  readonly post: (body: unknown, key: string | null, headers?: Record<string, string>) => Promise<Answer>;
  /** The whole JSON-RPC answer to one `tools/call`, which no other one repeats. */
  readonly call: (name: string, args: unknown, key: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

export async function openAgent(settings: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const stage = await openStage({ ALLOWED_HOSTS: '127.0.0.1', ...settings });
  const url = `${stage.origin}/mcp`;
  const post: Agent['post'] = (body, key, headers = {}) => {
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return send(url, text, { 'content-type': 'application/json', ...authorization, ...headers });
  };
  let calls = 0;
  return {
    stage,
    url,
    post,
    close: stage.close,
    call: (name, args, key) => {
      calls += 1;
      return post(
        { jsonrpc: '2.0', id: calls, method: 'tools/call', params: { name, arguments: args } },
        key,
      );
    },
  };
}

/** `fetch` adds headers of its own and sets no Host: this sends what it is given. */
export function send(
  url: string,
  text: string | Buffer,
  headers: Record<string, string>,
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.fromEntries(flat)),
          text: body,
          body: body === '' ? null : JSON.parse(body),
        });
      });
    });
    asked.on('error', reject);
    asked.end(text);
  });
}
