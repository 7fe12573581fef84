/** A rule that a Role must grant. */
export interface PolicyRule {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** Returns the rule as one line of YAML, for the `rules:` of a Role. */
export function policyRuleText({ apiGroup, resource, verbs }: PolicyRule): string {
  return `{apiGroups: ["${apiGroup}"], resources: [${resource}], verbs: [${verbs.join(', ')}]}`;
}
