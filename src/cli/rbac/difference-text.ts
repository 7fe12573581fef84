import { policyRuleText } from '../../kube/policy-rule.ts';
import type { Difference } from '../../rights/difference.ts';
import { remarks } from '../../rights/manifest-text.ts';
import type { Rule } from '../../rights/rules.ts';

/** The difference as text, one line for each rule; `areUnusedKnown`: whether something was seen that tells what is used. */
export function differenceText(difference: Difference, areUnusedKnown: boolean): string {
  const { missing, missingOptional, unused, wildcards } = difference;
  const unusedWord = areUnusedKnown ? 'unused' : 'not derived from the bindings';
  const lines = [
    ...missing.map((rule) => `missing: ${ruleLine(rule)}`),
    ...missingOptional.map((rule) => `missing, but optional: ${ruleLine(rule)}`),
    ...wildcards.map((text) => `wildcard: ${text}`),
    ...unused.map((text) => `${unusedWord}: ${text}`),
  ];
  return lines.length === 0 ? 'nothing differs\n' : `${lines.join('\n')}\n`;
}

/** Whether the command that compares has found something to change. */
export function isDifferent({ missing, unused, wildcards }: Difference, areUnusedKnown: boolean): boolean {
  return missing.length > 0 || wildcards.length > 0 || (areUnusedKnown && unused.length > 0);
}

/** A rule in one line, where it belongs, and why. */
export function ruleLine(rule: Rule): string {
  const { namespace, group, resource, verbs, names } = rule;
  const where = namespace === '' ? 'a ClusterRole' : `a Role in the namespace ${namespace}`;
  const text = policyRuleText({ apiGroup: group, resource, verbs, names });
  return `${text} in ${where} (${remarks({ ...rule, isOptional: false }).join('; ')})`;
}

/** A rule as RBAC writes it, with where it belongs and why. */
export function ruleJson(rule: Rule): Readonly<Record<string, unknown>> {
  const { namespace, group, resource, verbs, names, isOptional } = rule;
  return {
    apiGroups: [group],
    resources: [resource],
    ...(names.length > 0 && { resourceNames: names }),
    verbs,
    ...(namespace !== '' && { namespace }),
    isOptional,
    reasons: remarks({ ...rule, isOptional: false }),
  };
}
