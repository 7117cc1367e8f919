import type { AnnouncedResponse } from '../http/given.ts';
import { type Answer, type Connection, noteBlocked, place } from './peer.ts';

/** Requests of one connection that are answered at once. */
export const MAX_AT_ONCE = 8;
/** One read of a socket, 64 KB, may hold over two thousand requests, each some kilobytes in memory. */
const MAX_HELD = 10_000;

/**
 * Answers so many requests of a connection at once and stops reading it meanwhile. Requests that were read
 * with them are held. HTTP allows any number of requests before the first answer (RFC 9112 9.3.2).
 */
export function openPipelines() {
  let held = 0;
  const start = (connection: Connection, res: AnnouncedResponse, serve: () => void): void => {
    const answer: Answer = { bytes: null };
    connection.answers.push(answer);
    if (connection.answers.length === 1) place(connection);
    res.whenGiven((bytes) => {
      answer.bytes = bytes;
      // The client has gone: no answer waits to be sent.
      if (connection.isClosed) return;
      if (connection.answers[0] === answer) place(connection);
      else if (connection.answers[0]?.bytes === null) noteBlocked(connection);
    });
    // Once: Node closes a response once, and `once` would wrap it for each call.
    res.on('close', () => {
      if (connection.isClosed) return;
      connection.answers.shift();
      place(connection);
      next(connection);
    });
    serve();
  };
  const next = (connection: Connection): void => {
    const waiting = connection.held.shift();
    if (waiting !== undefined) {
      held -= 1;
      waiting();
    } else if (connection.isPaused) {
      connection.isPaused = false;
      connection.socket.resume();
    }
  };
  return {
    receive(connection: Connection, res: AnnouncedResponse, serve: () => void): void {
      if (connection.answers.length < MAX_AT_ONCE) {
        start(connection, res, serve);
      } else if (held >= MAX_HELD) {
        connection.socket.destroy();
      } else {
        held += 1;
        connection.held.push(() => start(connection, res, serve));
        connection.isPaused = true;
        connection.socket.pause();
      }
    },
    /** Forgets the requests of a connection that ended. */
    close(connection: Connection): void {
      connection.isClosed = true;
      held -= connection.held.length;
      connection.held.length = 0;
    },
  };
}
