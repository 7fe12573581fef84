import { describe, expect, it } from 'vitest';

import { createCluster } from '../../../src/kube/credentials/cluster.ts';
import {
  fixedCredentials,
  type CredentialPart,
  type CredentialSource,
} from '../../../src/kube/credentials/credentials.ts';

const server = new URL('https://api.example');

function changing(part: CredentialPart): CredentialSource & { part: CredentialPart; invalidated: number } {
  return {
    part,
    invalidated: 0,
    read() {
      return Promise.resolve(this.part);
    },
    invalidate() {
      this.invalidated += 1;
    },
  };
}

describe('a cluster', () => {
  it('puts its credentials together, later sources first', async () => {
    const cluster = createCluster({ name: 'c', server, servername: 'other', rejectUnauthorized: false }, [
      fixedCredentials({ ca: 'CA', headers: { authorization: 'Basic x', a: '1' } }),
      fixedCredentials({ headers: { authorization: 'Bearer y' } }),
    ]);

    expect(await cluster.authenticate()).toEqual({
      headers: { authorization: 'Bearer y', a: '1' },
      tls: { ca: 'CA', servername: 'other', rejectUnauthorized: false },
    });
  });

  it('gives the same object as long as nothing changed, and keeps the TLS options when only a token changed', async () => {
    const token = changing({ headers: { authorization: 'Bearer 1' } });
    const ca = changing({ ca: Buffer.from('CA') });
    const cluster = createCluster({ name: 'c', server }, [token, ca]);

    const first = await cluster.authenticate();
    const again = await cluster.authenticate();
    token.part = { headers: { authorization: 'Bearer 2' } };
    const newToken = await cluster.authenticate();
    ca.part = { ca: Buffer.from('other CA') };
    const newCa = await cluster.authenticate();

    expect(again).toBe(first);
    expect(newToken).not.toBe(first);
    expect(newToken.tls).toBe(first.tls);
    expect(newCa.tls).not.toBe(first.tls);
  });

  it('drops refused credentials once, however many requests were refused with them', async () => {
    const token = changing({ headers: { authorization: 'Bearer 1' } });
    const cluster = createCluster({ name: 'c', server }, [token]);
    const refused = await cluster.authenticate();

    cluster.invalidate(refused);
    token.part = { headers: { authorization: 'Bearer 2' } };
    await cluster.authenticate();
    cluster.invalidate(refused);

    expect(token.invalidated).toBe(1);
  });

  it('may need no credentials', async () => {
    const cluster = createCluster({ name: 'c', server }, []);

    expect(await cluster.authenticate()).toEqual({ headers: {}, tls: {} });
  });
});
