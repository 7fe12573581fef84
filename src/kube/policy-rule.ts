/** A rule that a Role must grant. */
export interface PolicyRule {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Default: any name. */
  readonly names?: readonly string[];
}

/** Returns the rule as one line of YAML, for the `rules:` of a Role. */
export function policyRuleText({ apiGroup, resource, verbs, names = [] }: PolicyRule): string {
  const named = names.length === 0 ? '' : `, resourceNames: [${names.join(', ')}]`;
  return `{apiGroups: ["${apiGroup}"], resources: [${resource}]${named}, verbs: [${verbs.join(', ')}]}`;
}
