import { beforeAll } from 'vitest';
import { configMap, configMaps, connect, eventually, freshName } from '@hooklet/sandbox/conformance';
import { operationsSuite } from '../support/operations-suite.ts';
import { connectAs } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

// These are the first tests, and a foreground deletion waits up to 20 s for a garbage collector that is starting.
beforeAll(async () => {
  const client = connect({ ...plane, token: plane.tokenOf('admin') });
  const namespace = freshName('collected');
  await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
  await client.post(configMaps(namespace), configMap('a'));
  await client.delete(configMaps(namespace, 'a'), { propagationPolicy: 'Foreground' });
  await eventually(
    () => client.get(configMaps(namespace, 'a')),
    ({ status }) => status === 404,
  );
}, 120_000);

operationsSuite(connectAs(plane, 'admin'));
