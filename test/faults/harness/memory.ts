import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/** Resident memory of a process, in MB. Linux only. */
export function memoryMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * PAGE_BYTES) / 2 ** 20;
}
