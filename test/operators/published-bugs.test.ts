import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';

const OPERATORS = ['300-etcd', '310-backup', '320-sampledb', '330-static-website', '340-prometheus'];

/** Published bugs of operators, each by the first report of it. */
const BUGS = [
  'cass-operator#118',
  'cassandra-operator#407',
  'rabbitmq#782',
  'etcd-io#26',
  'etcd-io#193',
  'etcd-io PR#400',
  'etcd-io PR#392',
  'etcd-backup-restore#646',
  'etcd-druid#818',
  'cozystack#159',
  'rabbitmq#2023',
  'clickhouse-operator#1420',
  'etcd-druid#452',
  'etcd#14805',
  'etcd-io#470',
  'etcd-io PR#394',
  'etcd-io PR#395',
  'etcd-io PR#401',
  'coreos#1972',
  'K8SPXC-896',
  'prometheus-operator#2950',
  'prometheus-operator PR#4504',
  'prometheus-operator PR#8309',
  'prometheus-operator#3875',
  'prometheus-operator#4832',
  'prometheus-operator#3335',
  'prometheus-operator#3105',
  'k8up#370',
  'k8up#86',
  'cloudnative-pg#7623',
];

interface Row {
  readonly bug: string;
  readonly here: string;
}

/** The rows of the table in the part "Bugs of other operators". */
function rowsOf(readme: string): readonly Row[] {
  const [, part = ''] = /\n## Bugs of other operators\n([^]*?)(?=\n## |$)/.exec(readme) ?? [];
  return [...part.matchAll(/^\| (?!Bug \||---)(.+?) \| (.+?) \|$/gm)].map(([, bug = '', here = '']) => ({ bug, here }));
}

/** What is wrong with the answer to a bug: a test file that names the bug, or the reason why it cannot happen. */
function problemOf(folder: string, id: string, { here }: Row): string | undefined {
  if (/^cannot happen: \w.{10,}/.test(here)) return undefined;
  const links = [...here.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => join(folder, path));
  if (links.length === 0) return `${id}: got ${JSON.stringify(here)}, expected a link to a test, or "cannot happen: …"`;
  const without = links.filter((path) => !titlesIn(path).some((title) => title.includes(id)));
  return without.length === 0 ? undefined : `${id}: no title in ${without.join(', ')} has it`;
}

/** The lines of a test or a scenario that may be its titles: an id in a comment is no test. */
function titlesIn(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => !/^\s*(?:\/\/|\*|\/\*|#)/.test(line));
}

describe.each(OPERATORS)('the README of %s', (name) => {
  const file = join(examplesDir, name, 'README.md');
  const rows = rowsOf(readFileSync(file, 'utf8'));

  it(`has a row for each of ${BUGS.length} published bugs, in their order`, () => {
    expect(BUGS).toHaveLength(30);
    expect(rows.map(({ bug }) => BUGS.find((id) => bug.startsWith(`${id}:`)) ?? bug)).toEqual(BUGS);
  });

  it('names for each of them a test that has it in a title, or why it cannot happen', () => {
    const problems = rows.flatMap((row, at) => problemOf(dirname(file), BUGS[at] ?? '', row) ?? []);

    expect(problems).toEqual([]);
  });
});
