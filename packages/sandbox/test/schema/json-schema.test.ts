import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { toJsonSchema } from '../../src/schema/json-schema.ts';

describe('a structural schema in JSON Schema', () => {
  it.each<readonly [JsonObject, JsonObject]>([
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ 'x-kubernetes-int-or-string': true }, { type: ['integer', 'string'] }],
    [
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: ['number'], exclusiveMinimum: 1 },
    ],
    [
      { type: 'number', maximum: 1, exclusiveMaximum: false },
      { type: ['number'], maximum: 1 },
    ],
    [{ type: 'string', description: 'x', default: 'y', format: 'unheard-of' }, { type: ['string'] }],
    [
      { type: 'string', pattern: '(?i)^a$' },
      { type: ['string'], pattern: '(?i:^a$)' },
    ],
    [
      { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['spec'] },
      { type: ['object'], required: ['apiVersion', 'kind', 'spec'] },
    ],
  ])('%j', (schema, expected) => {
    expect(toJsonSchema(schema).jsonSchema).toEqual({ required: [], ...expected });
  });
});
