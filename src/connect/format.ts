import { type Html, html } from '../site/html.ts';

/** `1234567` as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `2026-11-21T11:05:40.000Z` as `2026-11-21 11:05 UTC`, for people and machines. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}"><span class="nowrap">${iso.slice(0, 10)}</span> <span class="nowrap">${iso.slice(11, 16)} UTC</span></time>`;
}

/** A key in a list: its prefix and id, never the rest. */
export function keyName(mode: string, keyId: string): string {
  return `tm_${mode}_${keyId}…`;
}
