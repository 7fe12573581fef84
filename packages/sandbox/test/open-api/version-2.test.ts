import { describe, expect, it } from 'vitest';
import { definedKinds } from '../../src/custom-resources.ts';
import { openApi2Document } from '../../src/open-api/version-2.ts';
import { widgetDefinition } from '../support/sandbox.ts';
import { KINDS } from './open-api-kinds.ts';

describe('OpenAPI v2', () => {
  it('describes all kinds in one document', () => {
    expect(openApi2Document(KINDS)).toMatchObject({
      swagger: '2.0',
      definitions: {
        'io.k8s.api.core.v1.Pod': { properties: { spec: { $ref: '#/definitions/io.k8s.api.core.v1.PodSpec' } } },
        'com.example.v1.Widget': { properties: { spec: { required: ['color'] } } },
      },
    });
  });

  it('refers only to what is there', () => {
    const document = openApi2Document(KINDS);
    const definitions = Object(document['definitions']);
    const names = [...JSON.stringify(document).matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name = '']) => name);

    expect(names.filter((name) => definitions[name] === undefined)).toEqual([]);
  });

  it('leaves open what it cannot say', () => {
    const spec = {
      type: 'object',
      properties: {
        port: { 'x-kubernetes-int-or-string': true, description: 'd' },
        any: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
        none: { type: 'string', nullable: true },
        map: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
      },
    };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };

    expect(openApi2Document(definedKinds(widgetDefinition({}, { schema })))['definitions']).toMatchObject({
      'com.example.v1.Widget': {
        properties: {
          spec: {
            properties: {
              port: { description: 'd' },
              any: {},
              none: {},
              map: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
        },
      },
    });
  });
});
