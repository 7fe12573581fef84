import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { CredentialsError } from '../../../src/errors.ts';
import {
  caFileCredentials,
  certificateCredentials,
  fixedCredentials,
  tokenFileCredentials,
} from '../../../src/kube/credentials/credentials.ts';
import { createCertificate } from '../../support/certificate.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credentials-'));
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true });
});

async function write(name: string, content: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

describe('a token file', () => {
  it('is read again after 1 s, and at once when its token was refused', async () => {
    const path = await write('token', 'one\n');
    const source = tokenFileCredentials(path);
    const tokens: unknown[] = [];
    const read = async () => tokens.push((await source.read()).headers?.['authorization']);

    await read();
    await write('token', 'two\n');
    vi.advanceTimersByTime(999);
    await read();
    vi.advanceTimersByTime(1);
    await read();
    await write('token', 'three\n');
    source.invalidate();
    await read();

    expect(tokens).toEqual(['Bearer one', 'Bearer one', 'Bearer two', 'Bearer three']);
  });

  it('may be away for a moment once it was read', async () => {
    const path = await write('token', 'one');
    const source = tokenFileCredentials(path);
    await source.read();
    await rm(path);
    source.invalidate();

    expect(await source.read()).toEqual({ headers: { authorization: 'Bearer one' } });
  });

  it('that gives nothing is waited for 5 s, also when it hangs for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = join(directory, 'pipe');
    execFileSync('mkfifo', [path]);
    const read = tokenFileCredentials(path)
      .read()
      .catch((error: unknown) => String(error));

    await vi.advanceTimersByTimeAsync(5000);

    expect(await read).toContain(`cannot read token ${path}: nothing could be read within 5 s`);
    // Releases the thread that waits for a writer.
    closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  });

  it('that is missing or empty is an error that names it', async () => {
    const missing = join(directory, 'missing');
    const empty = await write('empty', '\n');

    await expect(tokenFileCredentials(missing).read()).rejects.toThrow(
      `cannot read token ${missing}: ENOENT: no such file or directory`,
    );
    await expect(tokenFileCredentials(empty).read()).rejects.toThrow(
      new CredentialsError(`token file ${empty} is empty`),
    );
  });
});

describe('a certificate authority file', () => {
  it('stays the same buffer until its content changes', async () => {
    const path = await write('ca.crt', '-----BEGIN one');
    const source = caFileCredentials(path);
    const { ca: first } = await source.read();
    source.invalidate();
    const { ca: same } = await source.read();
    await write('ca.crt', '-----BEGIN two');
    source.invalidate();
    const { ca: changed } = await source.read();

    expect(same).toBe(first);
    expect(Buffer.from(changed ?? '').toString()).toBe('-----BEGIN two');
  });
});

it.each([
  [
    'a token with a space',
    'a b',
    (path: string) => tokenFileCredentials(path),
    'contains a character that a token cannot have',
  ],
  [
    'a token of two lines',
    'a\nb',
    (path: string) => tokenFileCredentials(path),
    'contains a character that a token cannot have',
  ],
  ['an authority that is no PEM', 'x', (path: string) => caFileCredentials(path), 'is not a PEM certificate'],
  [
    'a file of more than 1 MiB',
    'x'.repeat(1_048_577),
    (path: string) => caFileCredentials(path),
    'has more than 1048576 bytes',
  ],
])('%s is a clear error', async (_law, text, sourceOf, message) => {
  const reading = sourceOf(await write('file', text)).read();

  await expect(reading).rejects.toThrow(CredentialsError);
  await expect(reading).rejects.toThrow(message);
});

describe('a client certificate', () => {
  it('is read again with its key when the files change', async () => {
    const [old, renewed] = [createCertificate(), createCertificate()];
    const cert = { path: await write('tls.crt', old.cert) };
    const key = { path: await write('tls.key', old.key) };
    const source = certificateCredentials(cert, key);
    const first = await source.read();
    await write('tls.crt', renewed.cert);
    await write('tls.key', renewed.key);
    vi.advanceTimersByTime(1000);

    const second = await source.read();

    expect(first.cert?.toString()).toBe(old.cert);
    expect([second.cert?.toString(), second.key?.toString()]).toEqual([renewed.cert, renewed.key]);
    expect(await source.read()).toBe(second);
  });

  it('that is only half renewed is not used yet', async () => {
    const [old, renewed] = [createCertificate(), createCertificate()];
    const cert = { path: await write('tls.crt', old.cert) };
    const source = certificateCredentials(cert, { path: await write('tls.key', old.key) });
    const first = await source.read();
    await write('tls.crt', renewed.cert);
    source.invalidate();

    expect(await source.read()).toBe(first);
  });

  it('that does not fit its key is an error', async () => {
    const [one, other] = [createCertificate(), createCertificate()];
    const source = certificateCredentials({ data: Buffer.from(one.cert) }, { data: Buffer.from(other.key) });

    await expect(source.read()).rejects.toThrow('client certificate and client key do not belong together');
  });

  it('that has expired is an error with the time', async () => {
    const { cert, key } = createCertificate({ commonName: 'me', notAfter: new Date('2024-05-06T07:08:09Z') });
    const path = await write('tls.crt', cert);
    const source = certificateCredentials({ path }, { data: Buffer.from(key) });

    await expect(source.read()).rejects.toThrow(
      `client certificate ${path} (CN=me) expired on 2024-05-06T07:08:09.000Z; renew it`,
    );
  });

  it('that is none is an error', async () => {
    const source = certificateCredentials({ data: Buffer.from('hello') }, { data: Buffer.from('') });

    await expect(source.read()).rejects.toThrow('client certificate is not a PEM certificate');
  });
});

describe('fixed credentials', () => {
  it('are the same object for ever', async () => {
    const part = { headers: { authorization: 'Bearer x' } };
    const source = fixedCredentials(part);
    source.invalidate();

    expect(await source.read()).toBe(part);
  });
});
