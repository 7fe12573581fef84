import { describe, expect, it } from 'vitest';
import { openApi3Document } from '../../src/open-api/version-3.ts';
import { KINDS } from './open-api-kinds.ts';

describe('OpenAPI v3', () => {
  it('has an index that names a document for each group and version', () => {
    expect(openApi3Document(KINDS, '/openapi/v3')).toMatchObject({
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' },
        'apis/example.com/v1': { serverRelativeURL: '/openapi/v3/apis/example.com/v1' },
      },
    });
  });

  it('describes a custom resource as its definition does', () => {
    expect(openApi3Document(KINDS, '/openapi/v3/apis/example.com/v1')).toMatchObject({
      components: {
        schemas: {
          'com.example.v1.Widget': {
            'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
            properties: {
              kind: { type: 'string' },
              spec: { required: ['color'], properties: { color: { enum: ['red', 'blue'] } } },
            },
          },
        },
      },
    });
  });

  it.each(['/openapi/v3', '/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1', '/openapi/v3/apis/example.com/v1'])(
    'refers only to what is there: %s',
    (path) => {
      const text = JSON.stringify(openApi3Document(KINDS, path));
      const schemas = Object(JSON.parse(text)).components?.schemas ?? {};
      const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);

      expect(names.filter((name) => schemas[name] === undefined)).toEqual([]);
    },
  );

  it('has nothing on what is not served', () => {
    expect(openApi3Document(KINDS, '/openapi/v3/apis/nope.io/v1')).toBeUndefined();
  });
});
