import type { ReportingOwner } from '../../domain/filing/filing.ts';
import { parseCik } from '../../domain/ids.ts';
import { textAt } from '../element.ts';
import { unreadable } from '../parse-error.ts';
import { flagOf, squeeze } from '../value.ts';
import type { XmlElement } from '../xml-element.ts';

/** One of the reporting owners, who all report the same rows (rule 6.1). */
export function reportingOwnerOf(owner: XmlElement): ReportingOwner {
  const cikText = textAt(owner, 'reportingOwnerId', 'rptOwnerCik');
  const cik = parseCik(cikText ?? '');
  if (cik === null) throw unreadable('rptOwnerCik', cikText);
  const is = (name: string): boolean =>
    flagOf(name, textAt(owner, 'reportingOwnerRelationship', name)) ?? false;
  return {
    cik,
    name: squeeze(textAt(owner, 'reportingOwnerId', 'rptOwnerName') ?? ''),
    isDirector: is('isDirector'),
    isOfficer: is('isOfficer'),
    isTenPercentOwner: is('isTenPercentOwner'),
    isOther: is('isOther'),
    officerTitle: textAt(owner, 'reportingOwnerRelationship', 'officerTitle'),
  };
}
