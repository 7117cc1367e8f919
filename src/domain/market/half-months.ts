import { addDays } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';

/** First and last day. */
type Days = { readonly from: IsoDate; readonly through: IsoDate };

/** The half-months between two days, which the SEC publishes a file each of: the `a` ones end with the 15th. */
export function halfMonths({ from, through }: Days): (Days & { readonly name: string })[] {
  const found: (Days & { readonly name: string })[] = [];
  for (let day = from; day <= through; day = addDays(found.at(-1)?.through ?? day, 1)) {
    const [month, isFirst] = [day.slice(0, 7), Number(day.slice(8)) <= 15];
    const nextMonth = addDays(`${month}-28` as IsoDate, 4).slice(0, 7);
    found.push({
      name: `cnsfails${month.replace('-', '')}${isFirst ? 'a' : 'b'}.zip`,
      from: `${month}-${isFirst ? '01' : '16'}` as IsoDate,
      through: isFirst ? (`${month}-15` as IsoDate) : addDays(`${nextMonth}-01` as IsoDate, -1),
    });
  }
  return found;
}

/** From the first to the last half-month between the days without a file; null where all have one (rule 4.6). */
export function daysWithoutPrices(
  days: Days,
  files: readonly { readonly from: IsoDate; readonly to: IsoDate }[],
): Days | null {
  const missing = halfMonths(days).filter(
    (half) => !files.some(({ from, to }) => from <= half.through && to >= half.from),
  );
  const [first, last] = [missing[0], missing.at(-1)];
  return first === undefined || last === undefined ? null : { from: first.from, through: last.through };
}
