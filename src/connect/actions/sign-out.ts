import type { Action } from '../answer.ts';

export const signOutForm: Action = {
  who: 'account',
  async act(desk, { session }) {
    await desk.sessions.end(session.token);
    return { kind: 'done', notice: 'signed_out', headers: ['Set-Cookie', desk.sessionCookie.clear()] };
  },
};
