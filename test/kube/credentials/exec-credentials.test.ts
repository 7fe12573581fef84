import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import { execCredentials } from '../../../src/kube/credentials/exec-credentials.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'exec-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

const cluster = {
  name: 'c',
  server: 'https://api.example',
  execConfig: { audience: 'x' },
  tlsServerName: 'other',
  skipTLSVerify: false,
};

/** A plugin that runs `body` as a shell script. */
async function plugin(body: string, exec: object = {}, pluginTimeoutMs = 60_000) {
  const caFile = join(directory, 'ca.crt');
  await writeFile(caFile, 'CA');
  const command = join(directory, 'plugin');
  await writeFile(command, `#!/bin/sh\n${body}\n`);
  await chmod(command, 0o755);
  const user = { name: 'me', exec: { apiVersion: 'client.authentication.k8s.io/v1', command, ...exec } };
  return execCredentials(user, {
    cluster: { ...cluster, caFile },
    env: { PATH: process.env['PATH'], DIR: directory },
    pluginTimeoutMs,
  });
}

const print = (status: object): string =>
  `echo run >> "$DIR/runs"; echo '${JSON.stringify({ kind: 'ExecCredential', status })}'`;
const runs = async (): Promise<number> => (await readFile(join(directory, 'runs'), 'utf8')).trim().split('\n').length;

describe('an exec plugin', () => {
  it('gives its token, and runs once for many requests', async () => {
    const source = await plugin(print({ token: 'secret' }));

    const parts = await Promise.all(Array.from({ length: 10 }, () => source.read()));

    expect(parts[9]).toEqual({ headers: { authorization: 'Bearer secret' } });
    expect(await runs()).toBe(1);
  });

  it('runs again after its token was refused, and after it expired', async () => {
    const refused = await plugin(print({ token: 'secret' }));
    await refused.read();
    refused.invalidate();
    await refused.read();
    const expired = await plugin(print({ token: 'secret', expirationTimestamp: '2020-01-01T00:00:00Z' }));
    await expired.read();
    await expired.read();

    expect(await runs()).toBe(4);
  });

  it('may give a client certificate', async () => {
    const source = await plugin(print({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));

    expect(await source.read()).toEqual({ cert: 'CERT', key: 'KEY' });
  });

  it('gets its arguments, its environment and what the cluster is', async () => {
    const source = await plugin(
      `printf '{"status":{"token":"%s"}}' "$(printf '%s' "$1 $2 $OWN $KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')"`,
      { args: ['a', 'b c'], env: [{ name: 'OWN', value: 'own' }], provideClusterInfo: true },
    );

    const { headers } = await source.read();
    const text = Buffer.from(String(headers?.['authorization']).slice('Bearer '.length), 'base64').toString();
    const [received = ''] = /\{.*/.exec(text) ?? [];

    expect(text.startsWith('a b c own {')).toBe(true);
    expect(JSON.parse(received)).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api.example',
          'tls-server-name': 'other',
          'certificate-authority-data': 'Q0E=',
          config: { audience: 'x' },
        },
      },
    });
  });

  it.each([
    ['exit 3 with a message', 'echo "please log in" >&2; exit 3', /failed: please log in$/],
    ['exit 3 silently', 'exit 3', /exec plugin .* of kubeconfig user me failed: Command failed/],
    ['print no JSON', 'echo hello', /did not print an ExecCredential as JSON/],
    ['print nothing of use', `echo '{"status":{}}'`, /printed neither a token nor a client certificate with its key/],
    ['print a strange time', print({ token: 'x', expirationTimestamp: 'soon' }), /expirationTimestamp "soon"/],
  ])('that should %s is an error', async (_title, body, message) => {
    const source = await plugin(body);

    await expect(source.read()).rejects.toThrow(CredentialsError);
    await expect(source.read()).rejects.toThrow(message);
  });

  it('that is not installed is an error with the hint of the kubeconfig', async () => {
    const source = await plugin('', { command: join(directory, 'missing'), installHint: 'install it from there' });

    await expect(source.read()).rejects.toThrow(/failed: .*ENOENT; install it from there$/);
  });

  it('that leaves a program behind with its output open is given up', async () => {
    const source = await plugin('sleep 60 & echo $! > "$DIR/left"; echo "{}"', {}, 100);

    await expect(source.read()).rejects.toThrow(/of kubeconfig user me (?:did not end in 0\.1 s|failed: .*timed out)/);
    process.kill(Number(await readFile(join(directory, 'left'), 'utf8')));
  });

  it.each([
    [{ token: { a: 'secret' } }, 'printed a status.token that is not a string'],
    [{ token: 'a', expirationTimestamp: 5 }, 'printed a status.expirationTimestamp that is not a string'],
    [{ clientCertificateData: ['secret'] }, 'printed a status.clientCertificateData that is not a string'],
    [{ token: 'a b' }, 'contains a character that a token cannot have'],
  ])('that prints %j is an error that does not repeat what it printed', async (status, message) => {
    const reading = (await plugin(print(status))).read();

    await expect(reading).rejects.toThrow(CredentialsError);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.not.toThrow('secret');
  });

  it('that prints no object is an error', async () => {
    await expect((await plugin('echo "[1]"')).read()).rejects.toThrow(
      'printed neither a token nor a client certificate',
    );
  });

  it('that requires a terminal is refused', async () => {
    await expect(plugin('', { interactiveMode: 'Always' })).rejects.toThrow('requires a terminal');
  });
});
