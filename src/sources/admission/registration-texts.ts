import { policyRuleText } from '../../kube/policy-rule.ts';
import { configurationKind, type ConfigurationKind } from './configuration-kind.ts';
import type { RegistrationStep } from './registration-step.ts';

/** What a step has done, for the log. */
export const DONE = {
  apply: 'webhooks registered',
  replace: 'webhooks registered',
  bundles: 'certificate authorities of webhooks registered',
  delete: 'webhook configuration without webhooks deleted',
} as const;

export const REFUSED = 'the API server refuses this webhook, which is left out or stays as it was registered before';

export const UNDONE =
  'somebody changes the registered webhooks again and again, so they are written ever more rarely: is it another hooklet with the same POD_NAME or hostname? Give it another, or another --validating-webhook-configuration-name';

/** Why a step cannot be taken; undefined when it can. */
export function problemOf(
  step: RegistrationStep,
  { kind, name }: { readonly kind: ConfigurationKind; readonly name: string },
): string | undefined {
  if (step.type !== 'foreign') return undefined;
  return `${kind} ${name} belongs to the hooklet in the namespace ${step.namespace}: give this one another name with --validating-webhook-configuration-name, or remove that one with hooklet webhooks remove`;
}

/** The rules that registering takes. */
export function rulesText(kind: ConfigurationKind): string {
  const { group: apiGroup, plural: resource, verbs } = configurationKind(kind);
  return policyRuleText({ apiGroup, resource, verbs });
}
