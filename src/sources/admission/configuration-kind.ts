import type { ResourceKind } from '../../kube/kind.ts';

/** The kinds of webhook configurations. */
export type ConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

const PLURALS = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
} as const;

/** Needs no discovery: every API server has it. */
export function configurationKind(kind: ConfigurationKind): ResourceKind {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    plural: PLURALS[kind],
    singular: kind.toLowerCase(),
    shortNames: [],
    isNamespaced: false,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    subresources: [],
  };
}
