import { describe, expect, it } from 'vitest';
import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { ownContainer } from '../../../src/operator/jobs/own-container.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const POD = '/api/v1/namespaces/db/pods/hooklet-1';
const SET = '/apis/apps/v1/namespaces/db/replicasets/hooklet-7c';
const owned = (apiVersion: string, kind: string, name: string) => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name, uid: `uid of ${name}`, controller: true }] },
});
const containers = (...names: readonly string[]) => ({
  spec: { containers: names.map((name) => ({ name, image: `${name}:1` })) },
});

async function own(objects: Readonly<Record<string, object>>) {
  const request = async ({ path }: KubeRequest): Promise<unknown> => {
    const found = objects[path];
    if (found === undefined) throw new KubeError(`GET ${path}: forbidden`, { status: 403, reason: 'Forbidden' });
    return found;
  };
  const pod = { namespace: 'db', name: 'hooklet-1' };
  return ownContainer({ request }, pod, recordingLogger(), new AbortController().signal);
}

describe('what the operator runs in', () => {
  it('is the image of the container hooklet, and the Deployment of its Pod', async () => {
    const found = await own({
      [POD]: { ...owned('apps/v1', 'ReplicaSet', 'hooklet-7c'), ...containers('proxy', 'hooklet') },
      [SET]: owned('apps/v1', 'Deployment', 'hooklet'),
    });

    expect(found).toEqual({
      image: 'hooklet:1',
      owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'hooklet', uid: 'uid of hooklet' },
    });
  });

  it('is the first container where none is called hooklet, and the ReplicaSet where it may not be read', async () => {
    const found = await own({
      [POD]: { ...owned('apps/v1', 'ReplicaSet', 'hooklet-7c'), ...containers('main', 'proxy') },
    });

    expect(found).toMatchObject({ image: 'main:1', owner: { kind: 'ReplicaSet', name: 'hooklet-7c' } });
  });

  it('has no owner where its Pod has none', async () => {
    expect(await own({ [POD]: containers('hooklet') })).toEqual({ image: 'hooklet:1', owner: undefined });
  });

  it('is not known where the Pod may not be read', async () => {
    await expect(own({})).rejects.toThrow('forbidden');
  });
});
