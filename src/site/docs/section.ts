import type { RateLimit } from '../../credits/wallet.ts';
import type { Html } from '../html.ts';
import type { SandboxBrief } from './sandbox-briefs.ts';

/** The settings of this installation that the guide shows. */
export type Setting = {
  readonly siteUrl: string;
  /** Undefined without a rate limit. */
  readonly rateLimit: RateLimit | undefined;
  readonly sandbox: readonly SandboxBrief[];
};

/** A part of the guide, listed in its table of contents. */
export type Section = {
  readonly id: string;
  readonly title: string;
  readonly body: (setting: Setting) => Html;
};
