import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { createCluster } from '../../src/kube/credentials/cluster.ts';
import { operationsSuite, startOperationsRig, type OperationsRig } from '../support/operations-suite.ts';

operationsSuite(async () => clusterOf(await sandboxForTest({ anonymous: true })));

describe('under faults', () => {
  let sandbox: Sandbox;
  let rig: OperationsRig;

  beforeEach(async () => {
    sandbox = await sandboxForTest({ anonymous: true });
    rig = await startOperationsRig(clusterOf(sandbox));
  });

  it('a server that is busy or in trouble for a moment does not fail a run', async () => {
    sandbox.faults.add({ type: 'status', code: 429, retryAfterSeconds: 0, method: 'PUT', times: 1 });
    sandbox.faults.add({ type: 'status', code: 500, method: 'PUT', times: 1 });
    sandbox.faults.add({ type: 'hangUp', method: 'PUT', times: 1 });

    expect(await rig.changes({ operation: 'CreateOrUpdate', object: rig.configMap({ a: '1' }) })).toEqual(['created']);
  });

  it('an object that was made counts as created although the answer was lost', async () => {
    sandbox.faults.add({ type: 'hangUp', afterBytes: 1, method: 'POST', times: 1 });

    expect(await rig.changes({ operation: 'Create', object: rig.configMap({ a: '1' }) })).toEqual(['created']);
  });
});

function clusterOf({ url }: Sandbox) {
  return createCluster({ name: 'sandbox', server: new URL(url) }, []);
}
