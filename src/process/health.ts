import { keepHeartbeat } from './heartbeat.ts';
import { LOOP_SECONDS, type Pulse, watchLoop } from './loop-watch.ts';

/**
 * The heartbeat of a process, and the watch over its event loop. A worker may compute for minutes: its heartbeat goes
 * on then. An API or a scheduler may not.
 */
export async function keepHealth(
  mongoUrl: string,
  ...beat: Parameters<typeof keepHeartbeat>
): Promise<{ readonly close: () => Promise<void> }> {
  const [{ db }, { role }] = beat;
  const heartbeat = await keepHeartbeat(...beat);
  const pulse: Pulse = { mongoUrl, database: db.databaseName, id: heartbeat.id };
  const loop = watchLoop(LOOP_SECONDS[role], role === 'worker' ? pulse : null);
  return {
    close: async () => {
      await heartbeat.close();
      await loop.close();
    },
  };
}
