/**
 * What it costs to compare the reports of an imported market again when its peers are known: CPU, commands and
 * documents a report, at one and at four times the filers. First what the peers change, then every report
 * of the last quarter although nothing changed.
 *
 *   npm run bench:recompare [-- --filers 500 --rows 100 …]
 */
import { cpus } from 'node:os';
import { report } from '../goals.ts';
import { marketOf } from '../market/folder.ts';
import { SMALL } from '../market/market.ts';
import { cpuOf } from '../scale/probe.ts';
import { type Compared, measureRecompared } from './imported.ts';

const GROWTH = 4;

const { market } = marketOf(process.argv.slice(2), { ...SMALL, filers: 500, rows: 100, tickers: 9_500 });
const plain = await measureRecompared(market);
console.error(`${market.filers} filers: done`);
const grown = await measureRecompared({ ...market, filers: market.filers * GROWTH });
console.log(`${cpus()[0]?.model}, Node ${process.version}, ${plain.engine ?? 'MongoDB'} engine`);
console.table({
  [`${market.filers} filers, after peers`]: line(plain.changed),
  [`${market.filers * GROWTH} filers, after peers`]: line(grown.changed),
  [`${market.filers} filers, nothing changed`]: line(plain.same),
  [`${market.filers * GROWTH} filers, nothing changed`]: line(grown.same),
});
console.table({
  [`${market.filers} filers`]: { rows: plain.rows, 'peers CPU ms': Math.round(cpuOf(plain.peers)) },
  [`${market.filers * GROWTH} filers`]: { rows: grown.rows, 'peers CPU ms': Math.round(cpuOf(grown.peers)) },
});

const cpuOver = (of: 'changed' | 'same'): number => cpuEach(grown[of]) / cpuEach(plain[of]);
report('recompare', [
  { what: 'a report compared again: CPU at 4 times the filers', value: cpuOver('changed'), atMost: 1.2 },
  { what: 'the same where nothing changed', value: cpuOver('same'), atMost: 1.2 },
]);

function cpuEach({ reports, spent }: Compared): number {
  return cpuOf(spent) / reports;
}

/** Of one report, on average. */
function line({ reports, changed, spent, inserted }: Compared) {
  const each = (total: number): number => Math.round((total / reports) * 100) / 100;
  return {
    reports,
    changed,
    'Node ms': each(spent.nodeMs),
    'database ms': each(spent.engineMs),
    commands: each(spent.commands),
    'documents read': each(spent.documents),
    'documents inserted': each(inserted),
  };
}
