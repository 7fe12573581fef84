import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { startOptions } from '../../src/cli/options/options.ts';
import { SHARDS } from '../../src/hook/shard.ts';
import { createMetrics } from '../../src/metrics.ts';
import { hookletNeeds } from '../../src/rights/hooklet-needs.ts';
import { rulesOf } from '../../src/rights/rules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { codeBlocks, codes, readDocument, root, section, table } from './markdown.ts';

const page = readDocument('docs/shards.md');

const FEATURES = {
  namespace: 'hooklet',
  pauseByNamespace: false,
  webhookConfiguration: 'hooklet',
  jobsCertificate: 'hooklet-jobs-certs',
};

describe('docs/shards.md', () => {
  it('shows what hooklet check --shards says of the hook that it shows', () => {
    using folder = temporaryFolder();
    const [config = ''] = codeBlocks(page, 'yaml');
    writeFileSync(join(folder.path, 'routes.sh'), `#!/bin/sh\ncat <<'EOF'\n${config}EOF\n`, { mode: 0o755 });
    const main = join(root, 'src', 'main.ts');
    const said = execFileSync(process.execPath, [main, 'check', '--shards', folder.path], { encoding: 'utf8' });

    expect(codeBlocks(page, 'text')[0]).toBe(said);
  });

  it('has every word of the field shard', () => {
    expect(table(section(page, 'The field shard')).map(([word]) => codes(word)[0])).toEqual(Object.keys(SHARDS));
  });

  it('has the flags of the code, with their variables and defaults', () => {
    const rows = table(
      section(page, 'Switching it on')
        .split('\n\n')
        .findLast((part) => part.includes('| Flag |')) ?? '',
    );
    const { isSharded, shardsLeaseName, shardsServerSide } = startOptions;

    expect(rows.map(([flag, env, fallback]) => [codes(flag)[0], codes(env)[0], codes(fallback)[0]])).toEqual(
      [isSharded, shardsLeaseName, shardsServerSide].map(({ flag, env, defaultText }) => [
        flag.split(' ')[0],
        env[0],
        defaultText,
      ]),
    );
  });

  it('tells each right that replicas need, and no other', () => {
    const verbsIn = (cell?: string): readonly string[] => codes(cell).filter((word) => !word.startsWith('hooklet-'));
    const told = table(section(page, 'Rights')).map(
      ([resource, verbs]) => [codes(resource)[0], verbsIn(verbs).toSorted()] as const,
    );
    const plain = new Set(hookletNeeds([], FEATURES).map(({ resource }) => resource));
    const needs = hookletNeeds([], { ...FEATURES, shards: 'hooklet-shards' });
    const rules = rulesOf(needs.filter(({ resource }) => !plain.has(resource)));
    const known = Map.groupBy(rules, (rule) => rule.resource);

    expect(new Map(told)).toEqual(
      new Map([...known].map(([name, all]) => [name, all.flatMap(({ verbs }) => verbs).toSorted()])),
    );
    expect(section(page, 'Rights')).toContain('`get`, `update` of `hooklet-shards-slices`');
    expect(rules.flatMap(({ names }) => names)).toEqual(['hooklet-shards-slices']);
  });

  it('has the metrics of shards', () => {
    const told = table(section(page, 'Metrics and alerts')).map(([name, type, labels]) => [
      codes(name)[0],
      type,
      codes(labels),
    ]);
    const known = createMetrics('').families.filter(({ name }) => name.startsWith('shard_'));

    expect(told).toEqual(known.map(({ name, type, labelNames }) => [name, type, labelNames]));
  });

  it('has the alerts of the chart', () => {
    const shown: unknown = parse(codeBlocks(section(page, 'Metrics and alerts'), 'yaml')[0] ?? '');
    const file: unknown = parse(readFileSync(join(root, 'deploy', 'chart', 'files', 'alerts.yaml'), 'utf8'));
    const rules = isJsonObject(file) ? objectsAt(file, 'groups').flatMap((group) => objectsAt(group, 'rules')) : [];
    const wanted = rules.filter((rule) => textAt(rule, 'expr').includes('hooklet_shard_'));

    expect(shown).toEqual(wanted.map(({ alert, expr, for: time }) => ({ alert, expr, for: time })));
  });
});
