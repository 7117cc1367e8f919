import { countInFlight } from './in-flight.ts';

/** Organisations of one address that may have as many as they may. */
export const WAITING_ORGANIZATIONS = 4;
/** Of all, with 4,096 connections. */
const MAX_HELD = 2_048;

/** Counts the calls that wait for events in this process, and bounds them. */
export function countHeld(perOrganization: number) {
  const ofOrganization = countInFlight(perOrganization);
  const ofAddress = countInFlight(WAITING_ORGANIZATIONS * perOrganization);
  const ofAll = countInFlight(MAX_HELD);
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
