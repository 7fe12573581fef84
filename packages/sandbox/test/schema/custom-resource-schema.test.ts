import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { compileCustomResourceSchema } from '../../src/schema/custom-resource-schema.ts';
import { ACCEPTED_SPECS, REFUSED_SPECS, WIDE_SPEC } from '../support/wide-schema.ts';

const schema = compileCustomResourceSchema({ type: 'object', required: ['spec'], properties: { spec: WIDE_SPEC } });

function messagesFor(spec: JsonObject): readonly string[] {
  const filled = schema.fillDefaults(schema.prune({ apiVersion: 'example.com/v1', kind: 'Wide', spec }));
  return schema.validate(filled).map(({ field, message }) => `${field}: ${message}`);
}

describe('a custom resource that breaks its schema is refused in the API server’s words', () => {
  it.each(REFUSED_SPECS)('%j', (spec, expected) => {
    expect(messagesFor(spec)).toEqual(expected);
  });

  it('names every problem at once', () => {
    expect(messagesFor({ size: 'x', mode: 5, flag: 'yes' })).toHaveLength(4);
  });
});

describe('a custom resource that keeps its schema is accepted', () => {
  it.each(ACCEPTED_SPECS)('%j', (spec) => {
    expect(messagesFor(spec)).toEqual([]);
  });
});

describe('pruning', () => {
  it('keeps what is specified or preserved, and the fields of every object', () => {
    const object: JsonObject = {
      apiVersion: 'example.com/v1',
      kind: 'Wide',
      metadata: { name: 'x' },
      junk: 1,
      spec: { size: 2, junk: 1, map: { a: 1 }, any: { a: { b: [1] } }, ports: [{ port: 1, junk: 1 }] },
    };

    expect(schema.prune(object)).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Wide',
      metadata: { name: 'x' },
      spec: { size: 2, map: { a: 1 }, any: { a: { b: [1] } }, ports: [{ port: 1 }] },
    });
  });
});

describe('defaults', () => {
  it('are filled in at every depth, and inside what a default brought', () => {
    const spec = { size: 2, ports: [{ port: 1 }] };

    expect(schema.fillDefaults({ spec })).toEqual({
      spec: { size: 2, flag: true, deep: { x: 'dx' }, ports: [{ port: 1, protocol: 'TCP' }] },
    });
  });

  it('replace a null that is not allowed, and leave one that is', () => {
    expect(schema.fillDefaults({ spec: { size: 2, flag: null, mode: null, nothing: null } })).toEqual({
      spec: { size: 2, flag: true, nothing: null, deep: { x: 'dx' } },
    });
  });
});

describe('what is not enforced', () => {
  it('is named: CEL rules, and patterns that cannot be compiled', () => {
    const { problems } = compileCustomResourceSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-validations': [{ rule: 'self.a < self.b' }],
          properties: { a: { type: 'string', pattern: '(?P<x>a)' } },
        },
      },
    });

    expect(problems).toEqual([
      'openAPIV3Schema.properties.spec: x-kubernetes-validations are not evaluated',
      'openAPIV3Schema.properties.spec.properties.a: pattern "(?P<x>a)" is not checked',
    ]);
  });

  it('does not include a pattern whose flags Go writes before it', () => {
    const compiled = compileCustomResourceSchema({
      type: 'object',
      properties: { a: { type: 'string', pattern: '(?i)^abc$' } },
    });

    expect(compiled.problems).toEqual([]);
    expect(compiled.validate({ a: 'ABC' })).toEqual([]);
    expect(compiled.validate({ a: 'x' })).toHaveLength(1);
  });
});
