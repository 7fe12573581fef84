import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { codeBlocks, codes, readDocument, section, table } from './markdown.ts';

const conversion = readDocument('docs/conversion.md');

describe('docs/conversion.md', () => {
  it('has every field of a conversion', () => {
    const entry = { name: 'a', crdName: 'a.b.c', conversions: [{ fromVersion: 'v1', toVersion: 'v2' }], zzzzzzzzzz: 1 };
    const text = JSON.stringify({ configVersion: 'v1', kubernetesCustomResourceConversion: [entry] });
    const config = parseConfig(text, checkFilter);
    const message = config.type === 'invalid' ? config.issues.map((issue) => issue.message).join('\n') : '';
    const known = /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];

    const documented = table(section(conversion, 'Fields of a conversion')).map(([field]) => codes(field)[0] ?? '');
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  it('has an example of a config that is valid', () => {
    const [script = ''] = codeBlocks(conversion, 'sh');
    const config = /<<EOF\n([^]*?)\nEOF\n/.exec(script)?.[1] ?? '';

    expect(parseConfig(config, checkFilter)).toMatchObject({ type: 'valid' });
  });
});
