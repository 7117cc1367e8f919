import type { SplitFactor } from '../../report/report.ts';

/** `1 trade`, `2 trades`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** `1 trade is`, `2 trades are`. */
export function are(count: number, noun: string): string {
  return counted(count, `${noun} is`, `${noun}s are`);
}

/** Digits in threes: `12,345,678`. */
export function grouped(amount: bigint | number | string): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `4 for 1`, `3 for 2`, `1 for 10`. */
export function factorWords({ numerator, denominator }: SplitFactor): string {
  return `${numerator} for ${denominator}`;
}
