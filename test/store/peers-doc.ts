import type { QuarterEnd } from '../../src/domain/ids.ts';
import type { CorporateAction } from '../../src/domain/peers/verdict.ts';
import { digestOf } from '../../src/store/mongo/pack.ts';
import {
  CORPORATE_ACTION,
  type PeerVerdictsDoc,
  packCorporateActions,
} from '../../src/store/peers/corporate-actions.ts';

/** Stored peers of a quarter that say only these corporate actions. */
export function peersDoc(
  quarterEnd: QuarterEnd,
  corporateActions: readonly CorporateAction[],
  digest: string = digestOf([quarterEnd, corporateActions.map(CORPORATE_ACTION.encode)]),
): PeerVerdictsDoc {
  return {
    _id: quarterEnd,
    version: 1,
    invalidationVersion: 1,
    inputsDigest: '',
    digest,
    at: '',
    corporateActions: packCorporateActions(corporateActions),
    verdicts: {},
    pendingChanges: null,
    prices: {},
    pendingPrices: null,
  };
}
