import type { ReasonRule } from '../../domain/quality/quality.ts';
import { html } from '../html.ts';
import {
  CORROBORATION_LINES,
  INSIDER_LINES,
  INSIDER_STANCES,
  INSTITUTIONAL_LINES,
  OF_VALUES,
  OUTCOME_LINES,
  REASON_LINES,
} from './brief-tables.ts';
import { inline, paragraphs, type Section, table } from './prose.ts';

const code = (text: string) => html`<code>${text}</code>`;

export const reading: Section = {
  id: 'brief',
  title: 'Reading a brief',
  body: () => html`
${paragraphs('Four words summarise a brief. Each one follows from the numbers by a table, in which the first line that applies decides. `outcome` says how complete the brief is. Every outcome is a 200.')}
${table(
  'What decides the outcome',
  [{ title: 'outcome' }, { title: 'When' }],
  OUTCOME_LINES.map(({ when, outcome }) => [code(outcome), inline(when)]),
)}
${paragraphs('`institutional.stance` weighs share counts, never values, and only changes of `clear` quality. The gross is the sum of all changes. The net is the increases minus the decreases. While a filing window is open, a manager that has not reported the quarter is counted by its report for the quarter before. `periods_observed` says how many managers are counted by each quarter, and each change names its own. `institutional.options` sums puts and calls in shares of the underlying. No stance counts them, because a report tells neither strike nor expiry.')}
${table(
  'What decides the institutional stance',
  [{ title: 'institutional.stance' }, { title: 'When' }],
  INSTITUTIONAL_LINES.map(({ when, stance }) => [code(stance), inline(when)]),
)}
${paragraphs('`insiders.stance` weighs the priced value of the open-market trades in the window. A trade without a price in dollars is counted and has no weight. Each trade has a `kind`: a sale to pay taxes (`tax_cover`), a sale of shares exercised on the same day (`exercise_and_sell`), a trade under a Rule 10b5-1 plan (`plan`), or `discretionary`. `insiders.stance_discretionary` weighs only the last kind, and `insiders.totals` gives the dollars of each.')}
${table(
  'What decides the stance of the insiders',
  [{ title: 'insiders.stance' }, { title: 'When' }],
  INSIDER_LINES.map(({ when, stance }) => [code(stance), inline(when)]),
)}
${paragraphs('`corroboration` compares the two stances, without trades by managers of the 13F leg itself (`corroboration_detail`). Lines are the institutional stance, columns that of the insiders.')}
${table(
  'What decides the corroboration',
  [{ title: 'institutional' }, ...INSIDER_STANCES.map((title) => ({ title }))],
  CORROBORATION_LINES.map(({ institutional, words }) => [code(institutional), ...words.map(code)]),
)}
`,
};

const EFFECTS: readonly (readonly [status: ReasonRule['effect'], meaning: string])[] = [
  [
    'clear',
    'It is counted and affects the direction, if it has a weight. A baseline (`no_prior_comparable_filing`) is not a change. A trade without a plausible price (`price_missing`, `price_zero`, `price_implausible`, `foreign_currency_price`, `price_of_other_security`) has no value. Some of these reasons name a number that was corrected, or a value that is left out of value sums.',
  ],
  [
    'uncertain',
    'It is counted and listed, and left out of the direction. When only its values are uncertain, it stays in the direction.',
  ],
  [
    'excluded',
    'It is excluded from all figures of a brief. The value of a row stays in the sums of its own report, such as `aum_cents`, unless it is implausible.',
  ],
];

export const reasons: Section = {
  id: 'reasons',
  title: 'Quality reasons',
  body: () => html`
${paragraphs('A reason of this closed list names each problem of a filing, a position or a trade. It is listed in `quality.reasons` of the item, and in `quality_artifacts.groups` of a brief with a count and an example. The strongest status of its reasons is the `quality.status` of the item:')}
${table(
  'What happens to an observation',
  [{ title: 'status' }, { title: 'What happens to the observation' }],
  EFFECTS.map(([status, meaning]) => [code(status), inline(meaning)]),
)}
${paragraphs('A reason that **may suppress** removes the direction of a brief when the changes that it makes uncertain outweigh the clear ones, or when no change is clear. Then `quality_artifacts.suppresses_direction` is true. A reason that is uncertain **for values only** leaves a change of shares clear.')}
${reasonTable('Reasons of Form 13F', 'thirteen_f')}
${reasonTable('Reasons of Form 4', 'form4')}
`,
};

function reasonTable(caption: string, leg: ReasonRule['leg']) {
  return table(
    caption,
    [{ title: caption }, { title: 'severity' }, { title: 'status' }, { title: 'What it says' }],
    REASON_LINES.filter((line) => line.leg === leg).map(
      ({ reason, severity, effect, maySuppress, isOfValues, description }) => [
        code(reason),
        code(severity),
        html`${code(effect)}${maySuppress ? ' may suppress' : ''}${isOfValues ? OF_VALUES : ''}`,
        inline(description),
      ],
    ),
  );
}
