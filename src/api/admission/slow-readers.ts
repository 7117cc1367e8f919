import type { Connection, Peer } from './peer.ts';

/** An answer that takes longer than this is not just on its way. */
const SLOW_MS = 1_000;
/** Answers that wait for slow readers, or behind a call that waits: of one client, and of all. */
const MAX_UNSENT_PER_CLIENT = 64;
const MAX_UNSENT = 1_024;

/**
 * Ends the connections whose answer is overdue, and where too many answers wait, those that wait longest.
 * Their charges are voided, as of every answer that was not sent.
 */
export function endSlowReaders(peers: Iterable<Peer>, now: number): void {
  const sending = [...peers].flatMap((peer) => [...peer.sending, ...peer.blocked]);
  const slow = sending.filter(({ since }) => now - since >= SLOW_MS).sort((a, b) => b.since - a.since);
  const unsent = new Map<string, number>();
  let all = 0;
  for (const connection of slow) {
    const ofClient = (unsent.get(connection.client) ?? 0) + unsentIn(connection);
    const total = all + unsentIn(connection);
    if (connection.due <= now || ofClient > MAX_UNSENT_PER_CLIENT || total > MAX_UNSENT) {
      connection.socket.destroy();
    } else {
      unsent.set(connection.client, ofClient);
      all = total;
    }
  }
}

function unsentIn({ answers }: Connection): number {
  return answers.filter(({ bytes }) => bytes !== null).length;
}
