import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/hook/config.ts';
import { readExecutorsFile } from '../../src/hook/executors-file.ts';
import { jobRuleOf } from '../../src/hook/executor-rule.ts';
import type { JobRule } from '../../src/hook/job-rule.ts';
import { startOptions } from '../../src/cli/options/options.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { codeBlocks, codes, readDocument, section, table } from './markdown.ts';

const page = readDocument('docs/jobs.md');
const blocks = codeBlocks(page, 'yaml');

const scripts = codeBlocks(page, 'sh').filter((block) => block.startsWith('#!'));

/** What a script of the page prints when it is asked for its config. */
function configOf(script: string): string {
  return execFileSync('sh', ['-s', '--', '--config'], { input: script, encoding: 'utf8' });
}

function read(job: unknown) {
  const settings = { executor: { job } };
  return parseConfig(JSON.stringify({ configVersion: 'v1', onStartup: 1, settings }), () => undefined);
}

function defaults(): JobRule | undefined {
  const config = read({});
  return config.type === 'valid' ? jobRuleOf(config) : undefined;
}

describe('docs/jobs.md', () => {
  it('the table of fields has every field', () => {
    const config = read({ zzzzzzzzzz: 1 });
    const message = config.type === 'invalid' ? (config.issues[0]?.message ?? '') : '';
    const known = /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];

    const documented = table(section(page, 'Fields')).flatMap(([field]) => codes(field));
    expect(known.length).toBeGreaterThan(10);
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  it('the defaults are those of the code', () => {
    const rows = table(section(page, 'Fields'));
    const fallback = (name: string): string => codes(rows.find(([field]) => codes(field)[0] === name)?.[2])[0] ?? '';
    const given = read({ startTimeout: fallback('startTimeout'), keepFailed: fallback('keepFailed') });

    expect(given).toMatchObject({ type: 'valid', settings: { executor: defaults() } });
    expect(fallback('agent')).toBe(defaults()?.agent);
    expect(fallback('suspend')).toBe(String(defaults()?.isSuspended));
  });

  it('the defaults of the brakes are those of the code', () => {
    const documented = table(section(page, 'Brakes')).map(([flag, fallback]) => `${codes(flag)[0]} ${fallback}`);

    const { jobsMax, jobsPerSecond } = startOptions;
    const known = [jobsMax, jobsPerSecond].map(({ flag, defaultText }) => `${flag.split(' ')[0]} ${defaultText}`);
    expect(documented).toEqual(known);
  });

  it('the configs are valid', () => {
    const configs = [...scripts.map(configOf), ...blocks.filter((block) => block.startsWith('configVersion'))];

    expect(configs).toHaveLength(3);
    for (const config of configs) {
      const parsed = parseConfig(config, () => undefined);
      expect(parsed.type === 'valid' ? [] : parsed.issues, config).toEqual([]);
      expect(parsed).toMatchObject({ settings: { executor: { type: 'job' } } });
    }
  });

  it('the example of hooklet-executors.yaml says of hooks in folders where they run', () => {
    using folder = temporaryFolder();
    const text = blocks.find((block) => block.startsWith('executors')) ?? '';
    writeFileSync(join(folder.path, 'hooklet-executors.yaml'), text);
    const executorOf = readExecutorsFile(folder.path);

    expect(parse(text)).toMatchObject({ executors: [{}, {}] });
    expect(executorOf('backup/db.sh')).toMatchObject({ rule: { agent: 'image' } });
    expect(executorOf('import/a/b.sh')).toMatchObject({ rule: { namespace: 'import' } });
    expect(executorOf('light.sh')).toBeUndefined();
  });

  it('the script of a foreign image does nothing where it is run itself', () => {
    const sidecar = scripts.find((script) => script.includes('agent: sidecar')) ?? '';

    expect(execFileSync('sh', ['-s'], { input: sidecar, encoding: 'utf8' })).toBe('');
    expect(configOf(sidecar)).toContain('missed: latest');
  });

  it('the metrics are told as in operations.md', () => {
    const told = (text: string) =>
      table(section(text, 'Metrics')).filter(([name = '']) => /^`jobs?_start_seconds`/.test(name));

    expect(told(page)).toHaveLength(1);
    expect(told(page)).toEqual(told(readDocument('docs/operations.md')));
  });
});
