import { compare } from '../../domain/compare.ts';
import { type Brief, outcomeShape } from '../../domain/wire/brief.ts';
import { readSandboxData } from '../../sandbox/data.ts';
import type { CurrentBriefDoc } from '../../store/publish/briefs.ts';
import type { BriefDoc } from '../../store/publish/kept-briefs.ts';

/** The kind of brief that a ticker of the sandbox shows. */
export type SandboxBrief = ReturnType<typeof summaryOf>;

/** One ticker for each kind of brief in the sandbox, sorted by outcome. */
export async function sandboxBriefs(): Promise<readonly SandboxBrief[]> {
  const { collections } = await readSandboxData();
  const shown = (collections.get('current_briefs') ?? []) as unknown as readonly CurrentBriefDoc[];
  const briefs = (collections.get('briefs') ?? []) as unknown as readonly BriefDoc[];
  const current = new Set(shown.map(({ briefId }) => briefId));
  const all = briefs.filter((brief) => current.has(brief._id)).map(summaryOf);
  const sorted = all.sort((a, b) => rankOf(a) - rankOf(b) || compare(a.ticker, b.ticker));
  const kinds = new Map<string, SandboxBrief>();
  for (const brief of sorted) {
    const { ticker: _, ...kind } = brief;
    const name = JSON.stringify(kind);
    if (!kinds.has(name)) kinds.set(name, brief);
  }
  return [...kinds.values()];
}

function rankOf({ outcome }: SandboxBrief): number {
  return outcomeShape.options.indexOf(outcome);
}

function summaryOf({ ticker, body }: BriefDoc) {
  const { data } = JSON.parse(Buffer.from(body.buffer).toString()) as { data: Brief };
  return {
    ticker,
    outcome: data.outcome,
    institutional: data.institutional.stance,
    insiders: data.insiders.stance,
    corroboration: data.corroboration,
  };
}
