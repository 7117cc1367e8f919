import type { Action } from '../answer.ts';

export const signOutForm: Action = {
  who: 'account',
  async act(context, { session }) {
    await context.sessions.end(session.token);
    return { kind: 'done', notice: 'signed_out', headers: ['Set-Cookie', context.sessionCookie.clear()] };
  },
};
