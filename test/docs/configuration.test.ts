import { describe, expect, it } from 'vitest';
import { parseConfig, type ParsedConfig } from '../../src/hook/config.ts';
import { parseCrontab } from '../../src/crontab/crontab.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { codeBlocks, codes, readDocument, section, table, tables } from './markdown.ts';

const configuration = readDocument('docs/configuration.md');

function read(text: string): ParsedConfig {
  return parseConfig(text, checkFilter);
}

/** The fields the code knows at a place: the message about an unknown one lists them. */
function knownFields(text: string): readonly string[] {
  const config = read(text);
  const message = config.type === 'invalid' ? config.issues.map((issue) => issue.message).join('\n') : '';
  return /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];
}

describe('docs/configuration.md', () => {
  it.each([
    { heading: 'Top level', config: '{configVersion: v1, onStartup: 1, zzzzzzzzzz: 1}' },
    { heading: '`schedule`', config: '{configVersion: v1, schedule: [{crontab: "@daily", zzzzzzzzzz: 1}]}' },
    { heading: '`kubernetes`', config: '{configVersion: v1, kubernetes: [{kind: Pod, zzzzzzzzzz: 1}]}' },
    { heading: '`settings`', config: '{configVersion: v1, settings: {zzzzzzzzzz: 1}}' },
  ])('the table of $heading has every field', ({ heading, config }) => {
    const documented = table(section(configuration, heading)).map(([field]) => codes(field)[0] ?? '');

    expect(documented.toSorted()).toEqual(knownFields(config).toSorted());
  });

  it('the example of selectors is valid', () => {
    const [example = ''] = codeBlocks(section(configuration, 'Selectors'), 'yaml');

    expect(read(example)).toMatchObject({ type: 'valid' });
  });

  it('the example of a schedule that makes up for what it missed is valid', () => {
    const [example = ''] = codeBlocks(section(configuration, 'Missed ticks'), 'yaml');

    expect(read(example)).toMatchObject({
      type: 'valid',
      bindings: [{ missed: { type: 'latest' }, concurrency: 'skip', startingDeadlineMs: 43_200_000 }],
    });
  });

  it('the example of problems is what they look like', () => {
    const config = read('{configVersion: v1, schedule: [{crontab: 61 * * * *}], kubernetes: [{kind: Pod, kimd: Pod}]}');
    const issues = config.type === 'invalid' ? config.issues : [];

    const lines = issues.map(({ path, message }) => `  ${path}: ${message}`);
    expect(codeBlocks(configuration, 'text')[0]?.trim().split('\n').slice(1)).toEqual(lines);
  });

  it('the crontabs are valid, and those it calls errors are not', () => {
    const crontabs = section(configuration, 'Crontabs');
    const valid = codeBlocks(crontabs, 'text')[0]?.trim().split('\n') ?? [];

    expect(valid).toHaveLength(6);
    for (const text of valid) expect(() => parseCrontab(text)).not.toThrow();
    for (const [written] of table(crontabs)) {
      for (const text of codes(written).filter((code) => code.startsWith('@'))) parseCrontab(text);
    }
    expect(() => parseCrontab('0 0 31 2 *')).toThrow('never comes');
    expect(() => parseCrontab('0 0 * * 7')).toThrow(SyntaxError);
  });

  it('the defaults are those of the code', () => {
    const config = read('{configVersion: v1, schedule: [{crontab: "@daily"}], kubernetes: [{kind: Pod}]}');
    const bindings = config.type === 'valid' ? config.bindings : [];
    const entries = ['`schedule`', '`kubernetes`'].map((heading, index) => ({
      binding: Object.fromEntries(Object.entries(bindings[index] ?? {})),
      rows: tables(section(configuration, heading))[0] ?? [],
    }));

    for (const { binding, rows } of entries) {
      for (const [field, , fallback] of rows) {
        const [name = ''] = codes(field);
        const [value] = codes(fallback);
        if (value !== undefined) expect(`${name} ${String(binding[name])}`).toBe(`${name} ${value}`);
      }
    }
  });
});
