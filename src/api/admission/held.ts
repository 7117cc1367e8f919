import { countInFlight } from './in-flight.ts';

/** Calls held at once: of an organisation, of an address, and of the process, which has 4,096 connections. */
const MAX_PER_ORGANIZATION = 64;
const MAX_PER_ADDRESS = 256;
const MAX_OF_ALL = 2_048;

/** Counts the calls of this process that wait for events. */
export function countHeld() {
  const ofOrganization = countInFlight(MAX_PER_ORGANIZATION);
  const ofAddress = countInFlight(MAX_PER_ADDRESS);
  const ofAll = countInFlight(MAX_OF_ALL);
  return {
    /** What leaves again; null when too many wait. */
    enter(organization: string, address: string): (() => void) | null {
      const entered: (() => void)[] = [];
      const leave = (): void => {
        for (const undo of entered) undo();
      };
      const places = [
        [ofOrganization, organization] as const,
        [ofAddress, address] as const,
        [ofAll, ''] as const,
      ];
      for (const [counter, id] of places) {
        if (!counter.enter(id)) {
          leave();
          return null;
        }
        entered.push(() => counter.leave(id));
      }
      return leave;
    },
  };
}
