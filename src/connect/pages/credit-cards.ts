import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { type Html, html } from '../../site/html.ts';
import { grouped } from '../format.ts';
import type { AccountView } from './account-view.ts';
import { fieldFault, formToken, textField } from './fields.ts';

/** A credit is a cent. */
export function balanceCard(balance: number): Html {
  const brief = ENDPOINTS.find((endpoint) => endpoint.name === 'capital_change_brief');
  const price = brief?.credits ?? 0;
  const usd = `$${grouped(Math.floor(balance / 100))}.${String(balance % 100).padStart(2, '0')}`;
  return html`<section class="card" aria-labelledby="balance">
<h2 id="balance">Balance</h2>
<p class="figure"><strong id="credits">${grouped(balance)}</strong> credits</p>
<p class="soft">Worth ${usd}${price === 0 ? null : html`, or ${grouped(Math.floor(balance / price))} briefs at ${price} credits`}. Only answers are charged, never errors.</p>
</section>`;
}

const CODE = html`class="code" type="text" required maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="TMV-XXXX-XXXX-XXXX-XXXX"`;

export function voucherCard({ formToken: token, fault }: AccountView): Html {
  const id = 'voucher-code';
  return html`<section class="card" aria-labelledby="voucher">
<h2 id="voucher">Redeem a voucher</h2>
<form method="post" action="/connect/voucher">
${formToken(token)}
${textField(fieldFault(fault, 'voucher', 'code', id), { id, name: 'code', label: 'Voucher code' }, CODE)}
<button class="button button-quiet" type="submit">Redeem</button>
</form>
</section>`;
}
