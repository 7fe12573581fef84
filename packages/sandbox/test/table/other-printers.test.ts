import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { OTHER_PRINTERS } from '../../src/table/other-printers.ts';
import { line } from './rows.ts';

const subjects = [
  { kind: 'User', name: 'u' },
  { kind: 'ServiceAccount', namespace: 'n', name: 's' },
];

it.each<[string, JsonObject, string]>([
  ['roles.rbac.authorization.k8s.io', {}, 'a|2025-01-01T00:00:00Z'],
  ['rolebindings.rbac.authorization.k8s.io', { roleRef: { kind: 'Role', name: 'r' }, subjects }, 'a|Role/r|10s|u||n/s'],
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', { webhooks: [{}] }, 'a|1|10s'],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', { spec: { validations: [{}] } }, 'a|1|<unset>|10s'],
  [
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    { spec: { policyName: 'p', paramRef: { name: 'x' } } },
    'a|p|*/x|10s',
  ],
  [
    'horizontalpodautoscalers.autoscaling',
    { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3 } },
    'a|Deployment/d|<none>|<unset>|3|0|10s',
  ],
  ['poddisruptionbudgets.policy', { spec: { minAvailable: '50%' } }, 'a|50%|N/A|0|10s'],
  ['leases.coordination.k8s.io', { spec: { holderIdentity: 'h' } }, 'a|h|10s'],
  ['priorityclasses.scheduling.k8s.io', { value: 7, preemptionPolicy: 'Never' }, 'a|7|false|10s|Never'],
  ['runtimeclasses.node.k8s.io', { handler: 'h' }, 'a|h|10s'],
  [
    'apiservices.apiregistration.k8s.io',
    { status: { conditions: [{ type: 'Available', status: 'False', reason: 'R' }] } },
    'a|Local|False (R)|10s',
  ],
  [
    'certificatesigningrequests.certificates.k8s.io',
    {
      spec: { expirationSeconds: 3600, username: 'u' },
      status: { conditions: [{ type: 'Approved' }], certificate: 'x' },
    },
    'a|10s|<none>|u|60m|Approved,Issued',
  ],
])('%s %#', (collection, object, text) => {
  expect(line(OTHER_PRINTERS[collection], object)).toBe(text);
});
