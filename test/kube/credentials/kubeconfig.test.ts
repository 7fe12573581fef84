import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { kubeconfigCluster, readKubeconfig } from '../../../src/kube/credentials/kubeconfig.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function write(name: string, content: object): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, JSON.stringify(content));
  return path;
}

const context = (name: string, cluster: string, user = '') => ({ name, context: { cluster, user } });
const cluster = (name: string, server: string, more: object = {}) => ({ name, cluster: { server, ...more } });
const user = (name: string, token: string) => ({ name, user: { token } });

describe('several kubeconfig files', () => {
  it('are one: of equal names and of current contexts the first counts', async () => {
    const first = await write('first', {
      contexts: [context('a', 'c')],
      clusters: [cluster('c', 'https://first.example')],
    });
    const second = await write('second', {
      'current-context': 'b',
      contexts: [context('a', 'other'), context('b', 'c', 'u')],
      clusters: [cluster('c', 'https://second.example')],
      users: [user('u', 'second')],
    });
    const third = await write('third', { 'current-context': 'a', users: [user('u', 'third')] });

    const kubeconfig = await readKubeconfig([first, second, third]);
    const chosen = kubeconfigCluster(kubeconfig, { env: {} });

    expect(chosen.name).toBe('b');
    expect(chosen.server.href).toBe('https://first.example/');
    expect((await chosen.authenticate()).headers).toEqual({ authorization: 'Bearer second' });
    expect(kubeconfigCluster(kubeconfig, { context: 'a', env: {} }).server.host).toBe('first.example');
  });
});

describe('the cluster of a context', () => {
  async function clusterOf(content: object, env: Readonly<Record<string, string>> = {}, context?: string) {
    const path = await write('config', content);
    return kubeconfigCluster(await readKubeconfig([path]), { env, context });
  }

  it('has the options of its TLS connections, its namespace and its proxy', async () => {
    const found = await clusterOf({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', namespace: 'hooks' } }],
      clusters: [
        cluster('c', 'https://api.example:6443/prefix', {
          'insecure-skip-tls-verify': true,
          'tls-server-name': 'other',
          'proxy-url': 'http://proxy:3128',
        }),
      ],
    });

    expect(found.namespace).toBe('hooks');
    expect(found.proxy?.host).toBe('proxy:3128');
    expect((await found.authenticate()).tls).toEqual({ servername: 'other', rejectUnauthorized: false });
  });

  it('goes through the proxy of the environment when it names none itself', async () => {
    const content = {
      'current-context': 'a',
      contexts: [context('a', 'c')],
      clusters: [cluster('c', 'https://api.example')],
    };

    expect((await clusterOf(content, { HTTPS_PROXY: 'http://env:1' })).proxy?.host).toBe('env:1');
    expect((await clusterOf(content, { HTTPS_PROXY: 'http://env:1', NO_PROXY: '.example' })).proxy).toBeUndefined();
  });

  const one = { contexts: [context('a', 'c', 'u'), context('b', 'c')], clusters: [cluster('c', 'https://x')] };
  it.each([
    ['no current context', one, undefined, 'no current-context is set; it has a, b (choose with --kube-context)'],
    ['an unknown context', one, 'z', 'no context "z"; it has a, b (choose with --kube-context)'],
    ['no context at all', {}, 'z', 'no context "z"; it has none (choose with --kube-context)'],
    ['an unknown user', one, 'a', 'context "a" names user "u", which does not exist'],
    ['an unknown cluster', { contexts: one.contexts }, 'b', 'context "b" names cluster "c", which does not exist'],
    [
      'a strange server',
      { ...one, clusters: [cluster('c', 'ftp://x')] },
      'b',
      'server of cluster c: expected an http or https URL, got "ftp://x"',
    ],
    [
      'a SOCKS proxy',
      { ...one, clusters: [cluster('c', 'https://x', { 'proxy-url': 'socks5://p' })] },
      'b',
      'proxy-url of cluster c: proxies of type socks5 are not supported',
    ],
  ])('with %s is an error', async (_title, content, name, message) => {
    await expect(clusterOf(content, {}, name)).rejects.toThrow(CredentialsError);
    await expect(clusterOf(content, {}, name)).rejects.toThrow(message);
  });
});
