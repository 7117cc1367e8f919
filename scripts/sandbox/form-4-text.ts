import { type Submission, submissionText } from './submission-text.ts';

export type Issuer = { readonly cik: string; readonly name: string; readonly symbol: string };
export type Insider = { readonly cik: string; readonly name: string; readonly role: string };

/** One row of table I. */
type Trade = {
  readonly date: string;
  readonly code: 'P' | 'S' | 'A' | 'M' | 'F';
  readonly shares: number;
  /** Decimal text. */
  readonly price: string;
  readonly after: number;
  /** How the shares are held, when not directly. */
  readonly nature?: string;
  readonly priceNote?: string;
};

/** An exercised option, for table II. */
type Exercise = { readonly date: string; readonly shares: number; readonly price: string };

/** A synthetic Form 4. */
export type Form4 = Pick<Submission, 'accession' | 'filed' | 'purpose'> & {
  readonly issuer: Issuer;
  readonly reportingOwner: Insider;
  readonly trades: readonly Trade[];
  readonly exercise?: Exercise;
  readonly isPlanned?: boolean;
  /** Filing day of the form that this one corrects. */
  readonly originalFiled?: string;
};

/** The full submission in the shape that EDGAR serves. */
export function form4Text(form4: Form4): string {
  const { issuer, reportingOwner, originalFiled } = form4;
  const form = originalFiled === undefined ? '4' : '4/A';
  const period = form4.trades[0]?.date ?? form4.filed;
  return submissionText({
    ...form4,
    form,
    period,
    parties: [
      { section: 'REPORTING-OWNER', name: reportingOwner.name, cik: reportingOwner.cik },
      { section: 'ISSUER', name: issuer.name, cik: issuer.cik },
    ],
    documents: [{ type: form, xml: ownershipXml(form4, form, period) }],
  });
}

function ownershipXml(form4: Form4, form: string, period: string): string {
  const { issuer, reportingOwner, trades, exercise, originalFiled, isPlanned = false } = form4;
  const original =
    originalFiled === undefined
      ? ''
      : `<dateOfOriginalSubmission>${originalFiled}</dateOfOriginalSubmission>`;
  const notes = trades.flatMap(({ priceNote }) => priceNote ?? []);
  return `<ownershipDocument><schemaVersion>X0508</schemaVersion><documentType>${form}</documentType>
<periodOfReport>${period}</periodOfReport>${original}<notSubjectToSection16>0</notSubjectToSection16>
<issuer><issuerCik>${issuer.cik}</issuerCik><issuerName>${issuer.name}</issuerName><issuerTradingSymbol>${issuer.symbol}</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>${reportingOwner.cik}</rptOwnerCik><rptOwnerName>${reportingOwner.name}</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship>${relationship(reportingOwner.role)}</reportingOwnerRelationship></reportingOwner>
<aff10b5One>${isPlanned ? 1 : 0}</aff10b5One>
<nonDerivativeTable>
${trades.map(tradeXml).join('\n')}
</nonDerivativeTable>${exercise === undefined ? '' : exerciseXml(exercise)}
<footnotes>${notes.map((note, at) => `<footnote id="F${at + 1}">${note}</footnote>`).join('')}</footnotes>
<remarks>Synthetic filing made for the sandbox.</remarks>
<ownerSignature><signatureName>/s/ Synthetic</signatureName><signatureDate>${form4.filed}</signatureDate></ownerSignature>
</ownershipDocument>`;
}

/** A role that is not an officer's title. */
const DIRECTOR = 'Director';

function relationship(role: string): string {
  if (role === DIRECTOR) return '<isDirector>1</isDirector>';
  return `<isDirector>0</isDirector><isOfficer>1</isOfficer><officerTitle>${role}</officerTitle>`;
}

function tradeXml({ date, code, shares, price, after, nature, priceNote }: Trade): string {
  const side = code === 'S' || code === 'F' ? 'D' : 'A';
  const note = priceNote === undefined ? '' : '<footnoteId id="F1"/>';
  const held =
    nature === undefined
      ? '<directOrIndirectOwnership><value>D</value></directOrIndirectOwnership>'
      : `<directOrIndirectOwnership><value>I</value></directOrIndirectOwnership><natureOfOwnership><value>${nature}</value></natureOfOwnership>`;
  return `<nonDerivativeTransaction><securityTitle><value>Common Stock</value></securityTitle>
<transactionDate><value>${date}</value></transactionDate>
<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>${code}</transactionCode><equitySwapInvolved>0</equitySwapInvolved></transactionCoding>
<transactionAmounts><transactionShares><value>${shares}</value></transactionShares><transactionPricePerShare><value>${price}</value>${note}</transactionPricePerShare>
<transactionAcquiredDisposedCode><value>${side}</value></transactionAcquiredDisposedCode></transactionAmounts>
<postTransactionAmounts><sharesOwnedFollowingTransaction><value>${after}</value></sharesOwnedFollowingTransaction></postTransactionAmounts>
<ownershipNature>${held}</ownershipNature></nonDerivativeTransaction>`;
}

function exerciseXml({ date, shares, price }: Exercise): string {
  return `
<derivativeTable><derivativeTransaction><securityTitle><value>Stock Option (right to buy)</value></securityTitle>
<conversionOrExercisePrice><value>${price}</value></conversionOrExercisePrice><transactionDate><value>${date}</value></transactionDate>
<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>M</transactionCode><equitySwapInvolved>0</equitySwapInvolved></transactionCoding>
<transactionAmounts><transactionShares><value>${shares}</value></transactionShares><transactionPricePerShare><value>0</value></transactionPricePerShare>
<transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>
<underlyingSecurity><underlyingSecurityTitle><value>Common Stock</value></underlyingSecurityTitle><underlyingSecurityShares><value>${shares}</value></underlyingSecurityShares></underlyingSecurity>
<postTransactionAmounts><sharesOwnedFollowingTransaction><value>0</value></sharesOwnedFollowingTransaction></postTransactionAmounts>
<ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature></derivativeTransaction></derivativeTable>`;
}
