import { abs } from '../../domain/money.ts';
import { weightPct } from '../../domain/ratio.ts';
import type { Change } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';

/** A bar reaches so far from the middle to each side. */
const REACH = 100;
const HEIGHT = 14;

/** The pattern of doubtful bars. Referred to by an attribute: from a stylesheet it would be looked up there. */
export const HATCH = html`<svg class="hatch-source" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-line" width="2" height="5"/></pattern></defs></svg>`;

/**
 * A change as a bar: to the right for shares bought, to the left for shares sold, hatched where it is doubtful. The
 * page needs {@link HATCH} once.
 * @param most {@link largestOf} the changes that are shown together
 */
export function changeBar({ share_delta, quality }: Change, most: bigint): Html {
  const delta = BigInt(share_delta);
  const width = Math.max(1, Math.round((weightPct(abs(delta), most) * REACH) / 100));
  const side = delta < 0n ? 'sold' : 'bought';
  const at = delta < 0n ? REACH - width : REACH;
  const fill = quality.status === 'clear' ? null : html` fill="url(#hatch)"`;
  const kind = quality.status === 'clear' ? `bar-${side}` : `bar-doubted bar-doubted-${side}`;
  return html`<svg viewBox="0 0 ${2 * REACH} ${HEIGHT}" class="bar-svg" aria-hidden="true" focusable="false"><rect class="${kind}"${fill} x="${at}" y="2" width="${width}" height="${HEIGHT - 4}"/><path class="bar-zero" d="M${REACH} 0v${HEIGHT}"/></svg>`;
}

/** The number of shares of the largest change, which reaches farthest. */
export function largestOf(changes: readonly Change[]): bigint {
  return changes.map(({ share_delta }) => abs(BigInt(share_delta))).reduce(bigger, 0n);
}

function bigger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
