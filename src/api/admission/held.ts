import { countInFlight } from './in-flight.ts';

/** Organisations of one address that may have as many as they may. */
export const WAITING_ORGANIZATIONS = 4;
/** Of all, with 4,096 connections. */
const MAX_HELD = 2_048;

/** The place of a call that waits. */
type HeldPlace = {
  readonly leave: () => void;
  /** Aborts when the place is needed for another organisation: the call is answered then. */
  readonly ended: AbortSignal;
};

/**
 * Counts the calls that wait for events, and bounds them for this process. When all places are taken, a new call
 * ends the longest wait of the organisation that has most.
 */
export function countHeld(perOrganization: number, places = MAX_HELD) {
  const ofOrganization = countInFlight(perOrganization);
  const ofAddress = countInFlight(WAITING_ORGANIZATIONS * perOrganization);
  /** What ends the waits of each organisation, the longest first. */
  const waits = new Map<string, Set<() => void>>();
  let all = 0;
  const endLongest = (): void => {
    const [most] = [...waits.values()].sort((a, b) => b.size - a.size);
    const [end] = most ?? [];
    end?.();
  };
  const hold = (organization: string, address: string): HeldPlace => {
    const ending = new AbortController();
    const own = waits.get(organization) ?? new Set();
    const leave = (): void => {
      if (!own.delete(end)) return;
      all -= 1;
      if (own.size === 0) waits.delete(organization);
      ofOrganization.leave(organization);
      ofAddress.leave(address);
    };
    const end = (): void => {
      leave();
      ending.abort();
    };
    waits.set(organization, own.add(end));
    all += 1;
    return { leave, ended: ending.signal };
  };
  return {
    /** Null when too many of the organisation or the address wait. */
    enter(organization: string, address: string): HeldPlace | null {
      if (!ofOrganization.enter(organization)) return null;
      if (!ofAddress.enter(address)) {
        ofOrganization.leave(organization);
        return null;
      }
      if (all >= places) endLongest();
      return hold(organization, address);
    },
  };
}
