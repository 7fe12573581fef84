import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOptions } from '../../src/cli/options/options.ts';
import { workOptions } from '../../src/cli/options/work-options.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { readExecutorsFile } from '../../src/hook/executors-file.ts';
import { rulesOf } from '../../src/rights/rules.ts';
import { workerNeeds } from '../../src/rights/worker-needs.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { codeBlocks, codes, readDocument, section, table, tables } from './markdown.ts';

const page = readDocument('docs/workers.md');
const needs = workerNeeds([{ settings: { executor: { type: 'workers', pool: 'default' } } }], {
  namespace: 'hooklet',
  jobsCertificate: 'hooklet-jobs-certs',
});

describe('docs/workers.md', () => {
  it('has a script whose config is valid, and says that workers execute it', () => {
    const [script = ''] = codeBlocks(page, 'sh');
    const config = execFileSync('sh', ['-s', '--', '--config'], { input: script, encoding: 'utf8' });
    const parsed = parseConfig(config, () => undefined);

    expect(parsed.type === 'valid' ? [] : parsed.issues).toEqual([]);
    expect(parsed).toMatchObject({ settings: { executor: { type: 'workers', pool: 'default' } } });
  });

  it('has an example of hooklet-executors.yaml that says of hooks in folders which workers execute them', () => {
    using folder = temporaryFolder();
    const text = codeBlocks(page, 'yaml').find((block) => block.startsWith('executors')) ?? '';
    writeFileSync(join(folder.path, 'hooklet-executors.yaml'), text);
    const executorOf = readExecutorsFile(folder.path);

    expect(executorOf('render/a/b.sh')).toEqual({ rule: { type: 'workers', pool: 'gpu' } });
    expect(executorOf('report-daily.sh')).toEqual({ rule: { type: 'workers', pool: 'default' } });
    expect(executorOf('light.sh')).toBeUndefined();
  });

  it('tells each right that hooklet needs for workers, and no other', () => {
    const told = table(section(page, 'Rights and trust')).map(([, resource, verbs]) => [
      codes(resource)[0],
      codes(verbs)
        .filter((word) => !word.startsWith('hooklet-'))
        .toSorted(),
    ]);
    const known = Map.groupBy(
      rulesOf(needs.map((need) => ({ ...need, of: { type: 'hooklet' } }))),
      (rule) => rule.resource,
    );

    expect(told).toEqual(
      [...known].toReversed().map(([name, rules]) => [name, rules.flatMap((one) => one.verbs).toSorted()]),
    );
  });

  it('has the flags of hooklet work that are no flags of start, with their variables and defaults', () => {
    const ofStart = new Set(Object.values(startOptions).map(({ flag }) => flag));
    const known = Object.values(workOptions).filter(({ flag }) => !ofStart.has(flag));
    const rows = table(section(page, 'Flags'));

    expect(rows.map(([flag, env]) => [codes(flag)[0]?.split(' ')[0], ...codes(env)])).toEqual(
      known.map(({ flag, env }) => [flag.split(' ')[0], ...env]),
    );
    // That of the operator is none: the flag is required.
    expect(rows.map(([, , fallback = '']) => fallback.replaceAll('`', '').split(',')[0])).toEqual(
      known.map(({ defaultText }) => (defaultText === '' ? 'required' : defaultText)),
    );
  });

  it('has the flags of start that are about workers, with their defaults', () => {
    const [, ofOperator = []] = tables(section(page, 'Flags'));
    const { workersAccounts, workersSilenceMs } = startOptions;

    expect(ofOperator.map(([flag, fallback]) => [codes(flag)[0]?.split(' ')[0], codes(fallback)[0]])).toEqual(
      [workersAccounts, workersSilenceMs].map(({ flag, defaultText }) => [flag.split(' ')[0], defaultText]),
    );
  });

  it('asks for the number of workers as the examples of autoscaling do', () => {
    const [query = ''] = codeBlocks(page, 'promql');
    const plain = (text: string): string =>
      text
        .replaceAll(/namespace="hooklet",?|<<\.LabelMatchers>>/g, '')
        .replaceAll(/pool="default"|[{}]/g, '')
        .replaceAll(/\s+/g, ' ');

    for (const file of ['keda.yaml', 'prometheus-adapter.yaml'])
      expect(plain(readDocument(`deploy/autoscaling/${file}`))).toContain(plain(query).trim());
  });
});
