import { describe, expect, it } from 'vitest';
import { readAdmission } from '../../src/effects/read-admission.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { AdmissionAnswer } from '../../src/sdk/index.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { codeBlocks, codes, readDocument, section, table } from './markdown.ts';

const webhooks = readDocument('docs/webhooks.md');
const parse = (entry: object) =>
  parseConfig(JSON.stringify({ configVersion: 'v1', kubernetesMutating: [entry] }), checkFilter);

describe('docs/webhooks.md', () => {
  it('has every field of a webhook', () => {
    const config = parse({ name: 'a.b.c', zzzzzzzzzz: 1 });
    const message = config.type === 'invalid' ? config.issues.map((issue) => issue.message).join('\n') : '';
    const known = /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];

    const documented = table(section(webhooks, 'Fields')).map(([field]) => codes(field)[0] ?? '');
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  it('has the defaults of the code', () => {
    const config = parse({ name: 'a.b.c' });
    const [binding] = config.type === 'valid' ? config.bindings : [];
    const fields = Object.fromEntries(Object.entries(binding ?? {}));

    for (const [field, , fallback] of table(section(webhooks, 'Fields'))) {
      const [name = ''] = codes(field);
      const [value] = codes(fallback);
      if (value === undefined || name === 'failurePolicy' || name === 'reinvocationPolicy') continue;
      expect(`${name} ${String(fields[name])}`).toBe(`${name} ${value}`);
    }
  });

  it('has an example of a config that is valid', () => {
    const [script = ''] = codeBlocks(section(webhooks, 'Admission'), 'sh');
    const config = /<<EOF\n([^]*?)\nEOF\n/.exec(script)?.[1] ?? '';

    expect(parseConfig(config, checkFilter)).toMatchObject({ type: 'valid' });
  });

  it('has every field of a response', () => {
    const fields = table(section(webhooks, 'What the hook answers')).map(([field]) => codes(field)[0] ?? '');
    const response = Object.fromEntries(fields.map((field) => [field, null]));

    const read = readAdmission(JSON.stringify({ ...response, allowed: true }), {
      isMutating: true,
      object: () => ({}),
    });
    expect(read.mistakes).toEqual([]);
    expect(fields).toHaveLength(5);
  });

  it('has every method of an answer in TypeScript', () => {
    const methods = table(section(webhooks, 'In TypeScript')).map(([call]) => codes(call)[0]?.replace(/\(.*/, ''));
    const known = Object.getOwnPropertyNames(AdmissionAnswer.prototype);

    expect(methods).toEqual(known.filter((name) => !['constructor', 'toString'].includes(name)));
  });
});
