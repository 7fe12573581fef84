import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startOptions } from '../../src/cli/options/options.ts';
import { workOptions } from '../../src/cli/options/work-options.ts';
import { createWorkerMetrics } from '../../src/cli/work/worker-metrics.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createProcessMetrics } from '../../src/operator/process/process-metrics.ts';
import { codeBlocks, codes, readDocument, root, section, table } from './markdown.ts';

const operations = readDocument('docs/operations.md');

describe('docs/operations.md', () => {
  it('the table of flags is that of the code', () => {
    const documented = table(section(operations, 'Flags and environment')).map(([flag, env, fallback]) => ({
      flag: codes(flag)[0],
      env: codes(env),
      defaultText: codes(fallback)[0] ?? '',
    }));

    const known = Object.values(startOptions).map(({ flag, env, defaultText }) => ({ flag, env, defaultText }));
    expect(documented).toEqual(known);
  });

  it('the table of flags of a worker is that of the code', () => {
    const documented = table(section(operations, 'Flags of a worker')).map(([flag, env, fallback]) => ({
      flag: codes(flag)[0],
      env: codes(env),
      defaultText: codes(fallback)[0] ?? '',
    }));

    const known = Object.values(workOptions).map(({ flag, env, defaultText }) => ({ flag, env, defaultText }));
    expect(documented).toEqual(known);
  });

  it('the table of metrics of a worker is that of the code', () => {
    const documented = table(section(operations, 'Metrics of a worker')).map(([name, type, labels]) => ({
      name: codes(name)[0],
      type,
      labels: codes(labels),
    }));

    const { families } = createWorkerMetrics(() => ({ held: 0, capacity: 1, isConnected: false }));
    const known = families.map(({ name, type, labelNames: labels }) => ({ name, type, labels }));
    expect(documented).toEqual(known);
  });

  it('the table of metrics is that of the code', () => {
    const documented = table(section(operations, 'Metrics')).map(([name, type, labels]) => ({
      name: codes(name)[0],
      type,
      labels: codes(labels),
    }));

    const known = createMetrics('').families.map(({ name, type, labelNames: labels }) => ({ name, type, labels }));
    expect(documented).toEqual(known);
  });

  it('the table of metrics of the process is that of the code', async () => {
    const documented = table(section(operations, 'Metrics of the process')).map(([name, type]) => [
      codes(name)[0],
      type,
    ]);

    const text = await createProcessMetrics().text();
    const known = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    expect(documented).toEqual(known);
  });

  it('the table of errors has every code', () => {
    const source = readFileSync(join(root, 'src', 'errors.ts'), 'utf8');
    const union = /export type ErrorCode =([^;]+);/.exec(source)?.[1] ?? '';
    const known = [...union.matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code);

    expect(known.length).toBeGreaterThan(5);
    expect(table(section(operations, 'Errors')).map(([code]) => codes(code)[0])).toEqual(known);
  });

  it('the rules of alerts name metrics and labels that exist', () => {
    const rules = codeBlocks(operations, 'yaml').filter((block) => block.startsWith('- alert:'));
    const families = new Map(createMetrics('hooklet_').families.map(({ name, labelNames }) => [name, labelNames]));
    const named = rules.flatMap((block) => [...block.matchAll(/\bhooklet_\w+/g)].map(([name]) => name));

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !families.has(name))).toEqual([]);
    for (const [, by = '', name = ''] of rules.join('\n').matchAll(/by \(([\w, ]+)\) .*?\b(hooklet_\w+)/g)) {
      expect(families.get(name)).toEqual(expect.arrayContaining(by.split(', ')));
    }
  });

  it('the example of a Role is YAML of that kind', () => {
    const [role = ''] = codeBlocks(section(operations, 'Rights'), 'yaml');

    expect(parse(role)).toMatchObject({ kind: 'Role', rules: [{ verbs: ['list', 'watch'] }, {}] });
  });
});
