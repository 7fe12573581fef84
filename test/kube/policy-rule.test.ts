import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { policyRuleText } from '../../src/kube/policy-rule.ts';

describe('policyRuleText', () => {
  it('is a rule of a Role in YAML', () => {
    const text = policyRuleText({ apiGroup: '', resource: 'events', verbs: ['create', 'patch'] });

    expect(parse(text)).toEqual({ apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] });
  });
});
