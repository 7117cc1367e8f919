/**
 * What one of so many API processes behind one port allows of a bound that is of all of them: connections are handed
 * on in turn, so each has about as many of an address. 0 stays 0, for unlimited.
 */
export function shareOf(bound: number, processes: number): number {
  return Math.ceil(bound / processes);
}
