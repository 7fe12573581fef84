import { describe, expect, it } from 'vitest';
import {
  messageSchema,
  messagesWithin,
  SCALARS,
  schemaName,
  withTypeFields,
} from '../../src/open-api/message-schema.ts';

const dialect = { reference: (name: string, extensions: object) => ({ to: name, ...extensions }), scalars: SCALARS };

describe('the schema of a message', () => {
  it('has its fields, with what is required and how lists merge', () => {
    expect(messageSchema('core/v1.PodSpec', dialect)).toMatchObject({
      type: 'object',
      required: ['containers'],
      properties: {
        nodeSelector: { type: 'object', additionalProperties: { type: 'string' } },
        priority: { type: 'integer', format: 'int32' },
        containers: {
          type: 'array',
          items: { to: 'io.k8s.api.core.v1.Container' },
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
        },
      },
    });
  });

  it('has the fields of messages that stand in it directly', () => {
    expect(messageSchema('core/v1.SecretKeySelector', dialect)).toMatchObject({
      required: ['key'],
      properties: { name: { type: 'string' }, key: { type: 'string' }, optional: { type: 'boolean' } },
    });
  });
});

it.each([
  ['core/v1.Pod', 'io.k8s.api.core.v1.Pod'],
  ['meta/v1.ObjectMeta', 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'],
  ['apiextensions/v1.JSON', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON'],
])('%s is called %s', (message, name) => {
  expect(schemaName(message)).toBe(name);
});

it('messages come with all that they consist of, but for those that stand in them directly', () => {
  expect(messagesWithin(['core/v1.SecretKeySelector'])).toEqual(['core/v1.SecretKeySelector']);
  expect(messagesWithin(['core/v1.EnvVarSource'])).toContain('core/v1.SecretKeySelector');
  expect(messagesWithin(['apiextensions/v1.JSONSchemaProps'])).toContain('apiextensions/v1.ValidationRule');
});

it('an object has kind and apiVersion', () => {
  expect(withTypeFields({ properties: { data: {} } })).toEqual({
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, data: {} },
  });
});
