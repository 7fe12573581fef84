import { describe, expect, it } from 'vitest';
import { openApiDocument, openApiIndex } from '../../../src/sandbox/schema/openapi.ts';

describe('the OpenAPI documents', () => {
  it('are found by the root of their group version', () => {
    const index = openApiIndex([
      { group: '', version: 'v1' },
      { group: 'apps', version: 'v1' },
    ]);

    expect(index).toEqual({
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' },
        'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1' },
      },
    });
  });

  it('say of each kind that the server validates fields', () => {
    const kinds = [
      { kind: 'Pod', plural: 'pods', namespaced: true },
      { kind: 'Node', plural: 'nodes', namespaced: false },
    ];
    const document = openApiDocument({ group: '', version: 'v1', kinds });

    expect(Object.keys(Object(document['paths']))).toEqual([
      '/api/v1/namespaces/{namespace}/pods/{name}',
      '/api/v1/nodes/{name}',
    ]);
    expect(Object(document['paths'])['/api/v1/nodes/{name}'].patch).toMatchObject({
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Node' },
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]),
    });
  });

  it('describe custom resources by their schemas', () => {
    const schema = { type: 'object', properties: { spec: { type: 'object' } } };
    const kinds = [{ kind: 'Thing', plural: 'things', namespaced: true, schema }];
    const { components } = openApiDocument({ group: 'example.com', version: 'v1', kinds });

    expect(components).toEqual({
      schemas: {
        'com.example.v1.Thing': {
          ...schema,
          'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Thing' }],
        },
      },
    });
  });
});
