import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlPlaneAssets, etcdToolAssets, kubectlAsset, laterApiserverAsset, s3ServerAsset } from './assets.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hooklet-assets-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the parts of a control plane', () => {
  it('are those in KUBEBUILDER_ASSETS', async () => {
    for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager']) await writeFile(join(folder, name), '');

    expect(await controlPlaneAssets({ KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: folder })).toEqual({
      etcd: join(folder, 'etcd'),
      kubeApiserver: join(folder, 'kube-apiserver'),
      kubeControllerManager: join(folder, 'kube-controller-manager'),
    });
  });

  it('must be in KUBEBUILDER_ASSETS when it is set', async () => {
    await expect(controlPlaneAssets({ KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: folder })).rejects.toThrow(
      `KUBEBUILDER_ASSETS is ${folder}, but there is no etcd in it`,
    );
  });

  it('come with the kubectl that is in KUBEBUILDER_ASSETS', async () => {
    await writeFile(join(folder, 'kubectl'), '');

    expect(await kubectlAsset({ KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: folder })).toBe(join(folder, 'kubectl'));
  });

  it('come with the etcdctl and etcdutl that are in KUBEBUILDER_ASSETS', async () => {
    for (const name of ['etcdctl', 'etcdutl']) await writeFile(join(folder, name), '');

    expect(await etcdToolAssets({ KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: folder })).toEqual({
      etcdctl: join(folder, 'etcdctl'),
      etcdutl: join(folder, 'etcdutl'),
    });
  });

  it('cannot be built without Go, and the error says what to do', async () => {
    await expect(controlPlaneAssets({ PATH: folder, XDG_CACHE_HOME: folder })).rejects.toThrow(
      'cannot build etcd for the cluster tests: there is no go on the PATH: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS',
    );
  });
});

describe('the S3 server', () => {
  it('is built apart from the control plane', async () => {
    await expect(s3ServerAsset({ PATH: folder, XDG_CACHE_HOME: folder })).rejects.toThrow(
      'cannot build versitygw for the cluster tests: there is no go on the PATH',
    );

    const caches = await readdir(join(folder, 'hooklet'));
    expect(caches).toEqual([expect.stringMatching(/^s3-/)]);
  });
});

describe('the API server of Kubernetes 1.36', () => {
  it('is built apart from the control plane, and its absence is an error', async () => {
    await expect(laterApiserverAsset({ PATH: folder, XDG_CACHE_HOME: folder })).rejects.toThrow(
      'cannot build kube-apiserver for the cluster tests: there is no go on the PATH',
    );

    const caches = await readdir(join(folder, 'hooklet'));
    expect(caches).toEqual([expect.stringMatching(/^kubernetes-1\.36-/)]);
  });

  it('is not built where KUBEBUILDER_ASSETS has another', async () => {
    expect(await laterApiserverAsset({ KUBEBUILDER_ASSETS: folder, PATH: folder })).toBeUndefined();
  });
});
