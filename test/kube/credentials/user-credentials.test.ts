import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createCluster } from '../../../src/kube/credentials/cluster.ts';
import type { UserEntry } from '../../../src/kube/credentials/kubeconfig-file.ts';
import { authorityCredentials, userCredentials } from '../../../src/kube/credentials/user-credentials.ts';
import { createCertificate } from '../../support/certificate.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'user-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

const entry = { name: 'c', server: 'https://api.example', skipTLSVerify: false };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function credentialsOf(user: Omit<UserEntry, 'name'>) {
  const sources = userCredentials({ name: 'me', ...user }, { cluster: entry, env: {} });
  return createCluster({ name: 'c', server: new URL(entry.server) }, sources).authenticate();
}

describe('a kubeconfig user', () => {
  it('with a token sends it', async () => {
    expect((await credentialsOf({ token: 'secret\n' })).headers).toEqual({ authorization: 'Bearer secret' });
  });

  it('with a token file and a token sends what is in the file', async () => {
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'from-file');

    expect((await credentialsOf({ tokenFile, token: 'other' })).headers).toEqual({ authorization: 'Bearer from-file' });
  });

  it('with a name and a password sends them', async () => {
    const { headers } = await credentialsOf({ username: 'me', password: 'pä:ss' });

    expect(headers).toEqual({ authorization: `Basic ${base64('me:pä:ss')}` });
  });

  it('with a certificate in place or in files shows it; the one in place counts', async () => {
    const { cert, key } = createCertificate();
    const certFile = join(directory, 'tls.crt');
    const keyFile = join(directory, 'tls.key');
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);

    const inFiles = await credentialsOf({ certFile, keyFile });
    const inPlace = await credentialsOf({
      certData: base64(cert),
      keyData: base64(key),
      certFile: '/missing',
      keyFile: '/missing',
    });

    expect([inFiles.tls.cert?.toString(), inFiles.tls.key?.toString()]).toEqual([cert, key]);
    expect(inPlace.tls.cert?.toString()).toBe(cert);
  });

  it('with half a certificate is refused', () => {
    expect(() => credentialsOf({ certData: base64('x') })).toThrow(
      'kubeconfig user me: client-key is missing; a client certificate needs both',
    );
  });

  it.each([
    [{ token: 'a\u0000b' }, 'token of kubeconfig user me contains a character that a token cannot have'],
    [
      { certData: '%%%', keyData: base64('-----BEGIN x') },
      'client-certificate-data of kubeconfig user me is not a PEM',
    ],
    [{ certData: base64('-----BEGIN x'), keyData: base64('x') }, 'client-key-data of kubeconfig user me is not a PEM'],
    [{ impersonateUser: 'a\r\nX-Header: b' }, 'may not contain line breaks or control characters'],
    [{ impersonateUser: 'a', impersonateGroups: ['b\n'] }, 'may not contain line breaks or control characters'],
  ])('with garbage is refused: %j', (user, message) => {
    expect(() => credentialsOf(user)).toThrow(message);
  });

  it('that impersonates another user sends its name, uid, groups and extras', async () => {
    const { headers } = await credentialsOf({
      token: 'secret',
      impersonateUser: 'other',
      impersonateUid: '7',
      impersonateGroups: ['a', 'b'],
      impersonateExtra: { 'acme.com/project': ['x', 'y'] },
    });

    expect(headers).toEqual({
      authorization: 'Bearer secret',
      'impersonate-user': 'other',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.com%2fproject': ['x', 'y'],
    });
  });

  it('with a token needs no plugin', async () => {
    const { headers } = await credentialsOf({ token: 'secret', exec: { command: '/missing' } });

    expect(headers).toEqual({ authorization: 'Bearer secret' });
  });

  it('without anything sends nothing', async () => {
    expect(await credentialsOf({})).toEqual({ headers: {}, tls: {} });
  });
});

describe('the authority of a cluster', () => {
  it('is what is given in place, before a file', async () => {
    const [source] = authorityCredentials({ ...entry, caData: base64('-----BEGIN CA'), caFile: '/missing' });

    expect(Buffer.from((await source?.read())?.ca ?? '').toString()).toBe('-----BEGIN CA');
    expect(authorityCredentials(entry)).toEqual([]);
  });
});
