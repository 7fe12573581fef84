import { expect, it } from 'vitest';
import { definedKinds } from '../../src/custom-resources.ts';
import { definitionsOf } from '../../src/open-api/definitions.ts';
import { SCALARS } from '../../src/open-api/message-schema.ts';
import { widgetDefinition } from '../support/sandbox.ts';
import { KINDS } from './open-api-kinds.ts';

const dialect = {
  reference: (name: string) => ({ to: name }),
  scalars: SCALARS,
  structural: (schema: object) => ({ ...schema }),
  definitions: { extra: {} },
};

it('kinds come with what they consist of, and with what the dialect adds', () => {
  const services = KINDS.filter(({ plural }) => plural === 'services');

  const names = Object.keys(definitionsOf(services, dialect));

  expect(names).toContain('io.k8s.api.core.v1.ServicePort');
  expect(names).toContain('extra');
  expect(names).not.toContain('io.k8s.api.core.v1.Pod');
});

it('a custom resource has metadata, unless nothing is said about it', () => {
  const open = { openAPIV3Schema: { 'x-kubernetes-preserve-unknown-fields': true } };
  const described = definitionsOf(definedKinds(widgetDefinition()), dialect);
  const undescribed = definitionsOf(definedKinds(widgetDefinition({}, { schema: open })), dialect);

  expect(described['com.example.v1.Widget']).toMatchObject({ properties: { metadata: { to: expect.anything() } } });
  expect(undescribed['com.example.v1.Widget']).not.toHaveProperty('properties.metadata');
});
