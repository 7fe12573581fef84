import { describe, expect, it } from 'vitest';
import { driveTime, pass } from '../../support/job-executor-rig.ts';
import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { ownContainer, untilKnown } from '../../../src/operator/remote/own-container.ts';
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

describe('what the operator runs in, where it is refused at first', () => {
  /** Asks an API server that refuses so many times, for 10 minutes. */
  async function known(refusals: number, isImageNeeded: boolean) {
    driveTime();
    let asked = 0;
    const request = async (): Promise<unknown> => {
      asked += 1;
      if (asked <= refusals) throw new KubeError('forbidden', { status: 403, reason: 'Forbidden' });
      return containers('hooklet');
    };
    const end = new AbortController();
    const pod = { namespace: 'db', name: 'hooklet-1' };
    const options = { client: { request }, isImageNeeded, log: recordingLogger() };
    const found = untilKnown(pod, options, end.signal);
    await pass(600_000);
    end.abort();
    return { found: await found, asked };
  }

  it('is asked for again where an image is needed: an API server that has just begun refuses what it will allow', async () => {
    expect((await known(5, true)).found).toEqual({ image: 'hooklet:1', owner: undefined });
  });

  it('is not known when the operator ends first', async () => {
    expect((await known(1000, true)).found).toBeUndefined();
  });

  it('is gone without after 3 attempts where no image is needed', async () => {
    expect(await known(1000, false)).toEqual({ found: { image: undefined, owner: undefined }, asked: 3 });
  });
});
