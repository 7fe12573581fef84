import { describe, expect, it } from 'vitest';
import { definedKinds } from '../../src/sandbox/custom-resources.ts';
import { Kinds } from '../../src/sandbox/kinds.ts';
import { openApiDocument } from '../../src/sandbox/open-api.ts';
import { widgetDefinition } from '../support/sandbox.ts';

const kinds = [...new Kinds().all(), ...definedKinds(widgetDefinition())];

describe('OpenAPI', () => {
  it('the index names a document for each group and version', () => {
    expect(openApiDocument(kinds, '/openapi/v3')).toMatchObject({
      paths: {
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' },
        'apis/example.com/v1': { serverRelativeURL: '/openapi/v3/apis/example.com/v1' },
      },
    });
  });

  it('a document names the operations and what a write may ask for', () => {
    expect(openApiDocument(kinds, '/openapi/v3/apis/example.com/v1')).toMatchObject({
      openapi: '3.0.0',
      paths: {
        '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}': {
          patch: {
            'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v1', kind: 'Widget' },
            parameters: [
              { name: 'dryRun' },
              { name: 'fieldManager' },
              { name: 'fieldValidation', in: 'query' },
              { name: 'force' },
            ],
          },
          get: { parameters: [] },
        },
      },
    });
  });

  it('there is none for what is not served', () => {
    expect(openApiDocument(kinds, '/openapi/v3/apis/nope.io/v1')).toBeUndefined();
  });
});
