import type { Api } from '../../api/open.ts';
import { ACCOUNT_LIMITS, SESSION_SECONDS } from '../../credits/account/limits.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { type Html, html } from '../html.ts';
import { contactUri, page } from '../page.ts';

/** What the operator has set. */
type Terms = Pick<Api, 'signUp' | 'topUp' | 'supportContact' | 'termsLink'>;

/** `/terms`: what holds for anyone who reads or calls, as far as the software and its settings say. */
export function termsPage({ signUp, topUp, supportContact, termsLink }: Terms): string {
  const body = html`<h1>Terms</h1>
<p class="lead">What this service is, what it costs, and what it keeps about you.</p>
${operatorsOwn(termsLink)}
<h2>The data</h2>
<p>The figures come from filings that managers and insiders made with the SEC. The filings are public. Filers make mistakes, and reports are up to 45 days old when they are published. An answer marks what is doubtful and says what is not known. Each figure leads to its filing.</p>
<p>Tidemark is not affiliated with the SEC. <strong>Nothing here is investment advice</strong>, an offer, or a recommendation of a security.</p>
<h2>No warranty</h2>
<p>The service is provided as it is. Answers may be wrong, late or missing, and the service may be interrupted. <a href="/status">Status</a> says whether it is fresh. No availability is promised here.</p>
<h2>Credits</h2>
<p>One credit is one US cent. Only answers with the status 2xx or 304 are charged, at <a href="/docs#credits">the price of the endpoint</a>; errors are free. A charge whose answer could not be sent is voided. Only who hangs up before the end of an answer more than 1,000 times in an hour, or from the fiftieth time on at half of the charged calls, pays for these calls all the same. Credits do not expire. ${grant(signUp)}</p>
${topUpWords(topUp)}
<p>Anyone who has a key can spend the credits. Revoke a key that others may know; it stops working within five seconds. <a href="/docs#limits">Limits</a> protect the service and its other users.</p>
<h2>What is stored about you</h2>
<p>The name of the organisation; of each key its label, a digest, its days and its last use; a digest of the recovery code and its day; the watchlist; each grant of credits and each redeemed voucher; and for each charged call its time, its price, its tool and the key, with sums by day. A log has a line for each call with the same, its status and how long it took, and without its parameters.</p>
<p>For a time: a session of the account pages with a digest of its token, ${SESSION_SECONDS / 3_600} hours; digests of idempotency keys and fingerprints of their calls, 10 minutes; digests of forms and of paid pages that must not count twice, at most an hour. For the limits of an address, the address is kept for as long as the limit counts, at most ${hours()}.</p>
<p>We ask for no e-mail address and no personal name. The pages have no tracking and ask no other site. Two cookies exist, both for <a href="/connect">the account pages</a>, which keep you signed in for ${SESSION_SECONDS / 3_600} hours and protect the forms.</p>
${contactWords(supportContact)}`;
  return page({
    title: 'Terms',
    description: 'What Tidemark is, what it costs, and what it keeps about you.',
    path: '/terms',
    body,
  });
}

function operatorsOwn(link: string | undefined): Html | null {
  if (link === undefined) return null;
  return html`<div class="notice" role="note"><p><a href="${link}">The terms of the operator</a> apply. Where this page says otherwise, they decide.</p></div>`;
}

function grant({ mode, credits }: Terms['signUp']): string | null {
  if (mode === 'closed' || credits === 0) return null;
  return `A new organisation gets ${grouped(credits)} credits for free, once, while the site has some left.`;
}

function topUpWords({ text, link }: Terms['topUp']): Html | null {
  if (text === undefined && link === undefined) return null;
  return html`<p>${text} ${link === undefined ? null : html`<a href="${link}">Get credits</a>`}</p>`;
}

function contactWords(contact: string | undefined): Html | null {
  if (contact === undefined) return null;
  return html`<h2>Contact</h2>
<p>Questions and reports of weaknesses: <a href="${contactUri(contact)}">${contact}</a>.</p>`;
}

/** The longest time in which something of an address is counted. */
function hours(): string {
  const { sign_up, sign_up_try, sign_in, voucher } = ACCOUNT_LIMITS;
  const longest =
    Math.max(...[sign_up, sign_up_try, sign_in, voucher].map(({ duration }) => duration)) / 3_600;
  return longest === 1 ? 'an hour' : `${longest} hours`;
}
