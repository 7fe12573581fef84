import type { V1Pod, V1Service, V1ServiceSpec } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { serviceNames } from '../src/names.ts';

function pod(name: string, podIP: string, { ready = true, leaving = false } = {}): V1Pod {
  return {
    metadata: { name, namespace: 'shop', labels: { app: 'db' }, ...(leaving && { deletionTimestamp: new Date(0) }) },
    spec: { hostname: name, subdomain: 'db', containers: [] },
    status: { phase: 'Running', podIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function service(name: string, spec: Partial<V1ServiceSpec>): V1Service {
  return { metadata: { name, namespace: 'shop' }, spec: { selector: { app: 'db' }, ...spec } };
}

/** Which addresses a name has. */
function resolve(
  name: string,
  services: readonly V1Service[],
  pods: readonly V1Pod[],
  from = 'shop',
): readonly string[] {
  const lines = serviceNames(from, { services, pods, apiServer: '198.18.0.1' }).split('\n');
  return lines.filter((line) => line.split(/\s/).slice(1).includes(name)).map((line) => line.split('\t')[0] ?? '');
}

const pods = [
  pod('db-0', '198.18.0.2'),
  pod('db-1', '198.18.0.3', { ready: false }),
  pod('db-2', '198.18.0.4', { leaving: true }),
];

describe('the names in a hosts file', () => {
  it.each([
    ['db', ['198.18.0.2']],
    ['db.shop', ['198.18.0.2']],
    ['db.shop.svc', ['198.18.0.2']],
    ['db.shop.svc.cluster.local', ['198.18.0.2']],
    ['db-0.db', ['198.18.0.2']],
    ['db-0.db.shop.svc.cluster.local', ['198.18.0.2']],
    ['db-1.db', []],
    ['db-0', []],
    ['localhost', ['127.0.0.1', '::1']],
    ['kubernetes.default.svc', ['198.18.0.1']],
  ])('lead for %s of a headless Service to %j', (name, addresses) => {
    expect(resolve(name, [service('db', { clusterIP: 'None' })], pods)).toEqual(addresses);
  });

  it('lead to all pods where the Service publishes those that are not ready', () => {
    const all = service('db', { clusterIP: 'None', publishNotReadyAddresses: true });

    expect(resolve('db', [all], pods)).toEqual(['198.18.0.2', '198.18.0.3', '198.18.0.4']);
    expect(resolve('db-1.db', [all], pods)).toEqual(['198.18.0.3']);
  });

  it('lead to ready pods for a Service with an address, whose pods have no names', () => {
    const balanced = service('db', { clusterIP: '10.0.0.7' });

    expect(resolve('db', [balanced], pods)).toEqual(['198.18.0.2']);
    expect(resolve('db-0.db', [balanced], pods)).toEqual([]);
  });

  it('are short in the namespace of the Service alone', () => {
    const services = [service('db', { clusterIP: 'None' })];

    expect(resolve('db', services, pods, 'other')).toEqual([]);
    expect(resolve('db.shop', services, pods, 'other')).toEqual(['198.18.0.2']);
  });

  it('leave a Service without a selector and pods of other labels alone', () => {
    expect(resolve('all', [service('all', { selector: {} })], pods)).toEqual([]);
    expect(resolve('web', [service('web', { selector: { app: 'web' } })], pods)).toEqual([]);
  });
});
