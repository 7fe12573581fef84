import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { readKubeconfigFile } from '../../../src/kube/credentials/kubeconfig-file.ts';

let directory = '';
let path = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  path = join(directory, 'config');
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('readKubeconfigFile', () => {
  it('reads contexts, clusters and users, and makes their paths absolute', async () => {
    await writeFile(
      path,
      `
current-context: one
contexts:
- {name: one, context: {cluster: c, user: u, namespace: hooks}}
clusters:
- name: c
  cluster:
    server: 'https://api.example/'
    certificate-authority: pki/ca.crt
    proxy-url: 'http://p:1'
    tls-server-name: s
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]
users:
- name: u
  user:
    client-certificate: tls.crt
    client-key: /abs/tls.key
    tokenFile: token
    as: other
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scope: [x]}
    exec: {command: bin/plugin}
- name: v
  user: {exec: {command: aws}}
`,
    );

    const file = await readKubeconfigFile(path);

    expect(file).toMatchObject({
      currentContext: 'one',
      contexts: [{ name: 'one', cluster: 'c', user: 'u', namespace: 'hooks' }],
      clusters: [
        {
          name: 'c',
          server: 'https://api.example',
          caFile: join(directory, 'pki/ca.crt'),
          proxyUrl: 'http://p:1',
          tlsServerName: 's',
          skipTLSVerify: false,
          execConfig: { audience: 'x' },
        },
      ],
      users: [
        {
          name: 'u',
          certFile: join(directory, 'tls.crt'),
          keyFile: '/abs/tls.key',
          tokenFile: join(directory, 'token'),
          impersonateUser: 'other',
          impersonateUid: '7',
          impersonateGroups: ['a', 'b'],
          impersonateExtra: { scope: ['x'] },
          exec: { command: join(directory, 'bin/plugin') },
        },
        { name: 'v', exec: { command: 'aws' } },
      ],
    });
  });

  it('reads an empty file as one that names nothing', async () => {
    await writeFile(path, '');

    expect(await readKubeconfigFile(path)).toEqual({ path, currentContext: '', contexts: [], clusters: [], users: [] });
  });

  it.each([
    ['broken YAML', 'contexts:\n- name: a\n  context: {', /, line 3: not YAML: /],
    ['a list', '- a', /: expected a mapping, got a list$/],
    [
      'a cluster without a server',
      'clusters: [{name: c, cluster: {}}]',
      /: clusters\[0\]\.cluster\.server is missing$/,
    ],
    [
      'a context without a cluster',
      'contexts: [{name: c, context: {}}]',
      /: contexts\[0\]\.context\.cluster is missing$/,
    ],
    ['a user without a name', 'users: [{user: {}}]', /: users\[0\]\.name is missing$/],
    ['users that are no list', 'users: {name: u}', /: users: expected a list, got a mapping$/],
    [
      'a token that is a mapping',
      'users: [{name: u, user: {token: {a: secret}}}]',
      /: users\[0\]\.user\.token: expected a string, got a mapping$/,
    ],
    [
      'every field of another type',
      'users: [{name: u, user: {password: 1, as-groups: a, exec: {args: [1], env: [a]}}}]\nclusters: [{name: 1}]',
      /clusters\[0\]\.name: .*users\[0\]\.user\.password: expected a string, got a number; users\[0\]\.user\.as-groups: .*users\[0\]\.user\.exec\.args\[0\]: .*users\[0\]\.user\.exec\.env\[0\]: expected a mapping/,
    ],
    [
      'a namespace that leads elsewhere',
      'contexts: [{name: c, context: {cluster: c, namespace: ../x}}]',
      /: contexts\[0\]\.context\.namespace: got "\.\.\/x", which may not contain "\/"$/,
    ],
    ['two documents', 'a: 1\n---\nb: 2', /: several YAML documents, expected one$/],
    [
      '40,000 keys',
      Array.from({ length: 40_000 }, (_, at) => `k${at}: v`).join('\n') + '\nk1: v',
      /, line 40001: not YAML: Map keys must be unique/,
    ],
    ['a user that is nothing', 'users: [null]', /: users\[0\]: expected a mapping, got nothing$/],
  ])('names the problem of %s', async (_title, text, message) => {
    await writeFile(path, text);

    await expect(readKubeconfigFile(path)).rejects.toThrow(CredentialsError);
    await expect(readKubeconfigFile(path)).rejects.toThrow(message);
    await expect(readKubeconfigFile(path)).rejects.toThrow(`kubeconfig ${path}`);
  });

  it('takes null for a field that is absent, as kubectl does', async () => {
    await writeFile(path, 'users: [{name: u, user: {token: null, as-uid: null, as-groups: null, tokenFile: null}}]');

    const { users } = await readKubeconfigFile(path);

    expect(users).toEqual([expect.objectContaining({ name: 'u' })]);
    expect(Object.keys(users[0] ?? {})).not.toContain('tokenFile');
  });

  it('does not read a file of more than 8 MiB', async () => {
    await writeFile(path, '');
    await truncate(path, 8 * 1024 * 1024 + 1);

    await expect(readKubeconfigFile(path)).rejects.toThrow('has more than 8388608 bytes');
  });

  it('names the file it cannot read', async () => {
    await expect(readKubeconfigFile(path)).rejects.toThrow(`cannot read kubeconfig ${path}: ENOENT`);
  });
});
