import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { NETWORK_PRINTERS } from '../../src/table/network-printers.ts';
import { line } from './rows.ts';

const port = { port: 80, protocol: 'TCP' };
const addresses = [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }];

it.each<[string, JsonObject, string]>([
  [
    'services',
    { spec: { type: 'ClusterIP', clusterIPs: ['10.0.0.9'], ports: [port], selector: { x: 'y' } } },
    'a|ClusterIP|10.0.0.9|<none>|80/TCP|10s|x=y',
  ],
  [
    'services',
    { spec: { type: 'NodePort', ports: [{ ...port, nodePort: 30_000 }], externalIPs: ['1.1.1.1'] } },
    'a|NodePort|<none>|1.1.1.1|80:30000/TCP|10s|<none>',
  ],
  ['services', { spec: { type: 'LoadBalancer' } }, 'a|LoadBalancer|<none>|<pending>|<none>|10s|<none>'],
  [
    'services',
    { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ hostname: 'h' }] } } },
    'a|LoadBalancer|<none>|h|<none>|10s|<none>',
  ],
  [
    'services',
    { spec: { type: 'ExternalName', externalName: 'e.com' } },
    'a|ExternalName|<none>|e.com|<none>|10s|<none>',
  ],
  [
    'endpoints',
    { subsets: [{ addresses, ports: [{ port: 1 }, { port: 2 }] }] },
    'a|10.0.0.1:1,[fd00::1]:1,10.0.0.1:2 + 1 more...|10s',
  ],
  ['endpoints', {}, 'a|<none>|10s'],
  [
    'endpointslices.discovery.k8s.io',
    { addressType: 'IPv4', ports: [{ port: 80 }], endpoints: [{ addresses: ['1.1.1.1'] }] },
    'a|IPv4|80|1.1.1.1|10s',
  ],
  ['endpointslices.discovery.k8s.io', { addressType: 'IPv4' }, 'a|IPv4|<unset>|<unset>|10s'],
  [
    'ingresses.networking.k8s.io',
    { spec: { rules: [{ host: 'a' }, { host: 'b' }], tls: [{}] } },
    'a|<none>|a,b||80, 443|10s',
  ],
  ['ingresses.networking.k8s.io', { spec: { ingressClassName: 'n', rules: [{}] } }, 'a|n|*||80|10s'],
  [
    'ingresses.networking.k8s.io',
    { spec: { rules: ['a', 'b', 'c', 'd'].map((host) => ({ host })) } },
    'a|<none>|a,b,c + 1 more...||80|10s',
  ],
  [
    'ingressclasses.networking.k8s.io',
    { spec: { controller: 'c', parameters: { apiGroup: 'g', kind: 'K', name: 'p' } } },
    'a|c|K.g/p|10s',
  ],
  ['networkpolicies.networking.k8s.io', { spec: { podSelector: {} } }, 'a|<none>|10s'],
  ['servicecidrs.networking.k8s.io', { spec: { cidrs: ['10.0.0.0/24'] } }, 'a|10.0.0.0/24|10s'],
  [
    'ipaddresses.networking.k8s.io',
    { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
    'a|services/n/s',
  ],
])('%s %#', (collection, object, text) => {
  expect(line(NETWORK_PRINTERS[collection], object)).toBe(text);
});
