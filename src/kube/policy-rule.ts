/** What a Role has to grant. */
export interface PolicyRule {
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** The rule as a line of YAML, to be put below `rules:` of a Role. */
export function policyRuleText({ apiGroup, resource, verbs }: PolicyRule): string {
  return `{apiGroups: ["${apiGroup}"], resources: [${resource}], verbs: [${verbs.join(', ')}]}`;
}
