import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from 'hooklet';
import type { ClusterSpec, TlsOptions } from '../../examples/300-etcd/hooks/lib/cluster.ts';
import { changeProblem } from '../../examples/300-etcd/hooks/lib/change-problem.ts';
import { specProblem } from '../../examples/300-etcd/hooks/lib/spec-problem.ts';
import { makeAuthority, makeLeaf, type Pair } from '../../examples/300-etcd/hooks/lib/tls/certificate.ts';
import { isBelieved, shownIn } from '../support/etcd-world/tls.ts';
import { EtcdWorld } from '../support/etcd-world/world.ts';

const DAY_MS = 86_400_000;
const SPEC: ClusterSpec = {
  replicas: 3,
  version: '3.6.7',
  storage: { size: '8Gi' },
  repair: { after: '1m' },
  tls: { duration: '30d', authorityDuration: '100d' },
};
const MEMBERS = ['etcd-0', 'etcd-1', 'etcd-2'];

function world(changes: Partial<ClusterSpec> = {}): EtcdWorld {
  return new EtcdWorld({ ...SPEC, ...changes });
}

async function running(changes: Partial<ClusterSpec> = {}): Promise<EtcdWorld> {
  const made = world(changes);
  await made.rests();
  return made;
}

/** What a certificate in a Secret says. */
function certificate(made: EtcdWorld, secret: string, key: string): X509Certificate {
  const { given } = made.objects.get(`Secret/${secret}`) ?? {};
  if (given === undefined) throw new Error(`there is no Secret ${secret}`);
  return new X509Certificate(shownIn(given, key));
}

function daysLeft(made: EtcdWorld, secret: string, key: string): number {
  return Math.round((certificate(made, secret, key).validToDate.getTime() - made.nowMs) / DAY_MS);
}

/** Days pass, with turns until all rests, often enough for the renewal of what is valid for 30 days. */
async function later(made: EtcdWorld, days: number): Promise<void> {
  for (let left = days; left > 0; left -= 25) {
    made.nowMs += Math.min(left, 25) * DAY_MS;
    await made.rests();
  }
}

/** All that keeps others out, of each member. */
function guards(made: EtcdWorld): readonly unknown[] {
  return [...made.objects].flatMap(([key, { given }]) => {
    if (!key.startsWith('StatefulSet/')) return [];
    const text = JSON.stringify(given.spec);
    const names = [
      'ETCD_CLIENT_CERT_AUTH',
      'ETCD_PEER_CLIENT_CERT_AUTH',
      'ETCD_TRUSTED_CA_FILE',
      'ETCD_PEER_TRUSTED_CA_FILE',
    ];
    return [[key, ...names.map((name) => text.includes(name)), /"http:\/\/[^"]*:23(79|80)"/.test(text)]];
  });
}

function told(made: EtcdWorld): string {
  return made.status.conditions?.find(({ type }) => type === 'CertificatesValid')?.reason ?? '';
}

describe('etcd: certificates are made', () => {
  it('for each member with its names, for the client, by authorities of their own, and nobody is restarted for them', async () => {
    const made = await running();

    const server = certificate(made, 'etcd-2-tls', 'server.crt');
    for (const name of ['etcd-2-0.etcd.db.svc', 'etcd-client.db.svc', 'localhost'])
      expect(server.checkHost(name)).toBe(name);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate(made, 'etcd-client-tls', 'tls.crt').subject).toBe('CN=root');
    // A client cannot act as a peer.
    const peers = shownIn(
      made.objects.get('Secret/etcd-authority')?.given ?? { apiVersion: '', kind: '', metadata: { name: '' } },
      'peer.crt',
    );
    expect(isBelieved(certificate(made, 'etcd-2-tls', 'peer.crt').toString(), peers, made.nowMs)).toBe(true);
    expect(isBelieved(certificate(made, 'etcd-client-tls', 'tls.crt').toString(), peers, made.nowMs)).toBe(false);
    const generations = MEMBERS.map((name) => made.objects.get(`StatefulSet/${name}`)?.generation);
    expect(generations).toEqual([1, 1, 1]);
    expect(told(made)).toBe('Valid');
  });

  it('no private key is in the status, in Events, or in any object but Secrets', async () => {
    const made = await running();
    await later(made, 70);
    const others = [...made.objects].filter(([key]) => !key.startsWith('Secret/')).map(([, { given }]) => given);

    const text = JSON.stringify([others, made.status, made.events, made.messages, made.state]);
    expect(text).toContain('BEGIN CERTIFICATE');
    expect(text).not.toMatch(/PRIVATE|LS0tLS1CRUdJTiBQUklWQVRF/);
  });

  it('TLS is silently off after a crash (K8SPXC-896): every member keeps all that keeps others out, after each effect', async () => {
    const whole = await running();
    const wanted = [true, true, true, true, false];
    expect(guards(whole)).toEqual(MEMBERS.map((name) => [`StatefulSet/${name}`, ...wanted]));
    expect(whole.effects).toBeGreaterThan(30);
    for (let effect = 1; effect <= whole.effects; effect++) {
      const crashed = world();
      crashed.crashAfter(effect);
      while (crashed.reasons.at(-1) !== 'AllWell') {
        await crashed.step();
        for (const [, ...found] of guards(crashed) as readonly (readonly unknown[])[]) expect(found).toEqual(wanted);
      }
      expect({ effect, voters: crashed.voters(), foundings: crashed.etcd.foundings }).toEqual({
        effect,
        voters: 3,
        foundings: 1,
      });
    }
  });
});

describe('etcd: certificates are renewed', () => {
  it('one member after the other, the leader last, the next when the one before shows its own, and nobody is restarted', async () => {
    const made = await running();
    const before = made.events.length;
    made.nowMs += 21 * DAY_MS;
    let ticks = 0;
    for (; made.reasons.at(-1) !== 'AllWell' || ticks === 0; ticks++) await made.step();

    const order = made.events.slice(before).flatMap((event) => /CertificatesMade: (\S+) gets/.exec(event)?.[1] ?? []);
    expect(order).toEqual(['etcd-1', 'etcd-2', 'etcd-0', 'etcd']);
    expect(made.reasons).toContain('CertificatePending');
    expect(MEMBERS.map((name) => daysLeft(made, `${name}-tls`, 'server.crt'))).toEqual([30, 30, 30]);
    expect(MEMBERS.map((name) => made.objects.get(`StatefulSet/${name}`)?.generation)).toEqual([1, 1, 1]);
  });

  it('the authority is followed by the next: trusted by all first, then it signs, then the old one is let go', async () => {
    const made = await running();
    const first = certificate(made, 'etcd-authority', 'client.crt').fingerprint256;
    await later(made, 66.8);
    expect(certificate(made, 'etcd-authority', 'next-client.crt').fingerprint256).not.toBe(first);
    const trusted = () =>
      shownIn(
        made.objects.get('Secret/etcd-client-tls')?.given ?? { apiVersion: '', kind: '', metadata: { name: '' } },
        'ca.crt',
      ).split('BEGIN').length - 1;
    expect(trusted()).toBe(2);
    await later(made, 1);
    await later(made, 3);
    expect(certificate(made, 'etcd-authority', 'client.crt').fingerprint256).not.toBe(first);
    expect(trusted()).toBe(2);
    await later(made, 34);
    expect(trusted()).toBe(1);

    expect(MEMBERS.map((name) => made.objects.get(`StatefulSet/${name}`)?.generation)).toEqual([3, 3, 3]);
    expect(made.etcd.history.filter((line) => line.startsWith('remove'))).toEqual([]);
  });

  it('with a crash after each effect of the change of authorities, members believe each other at all times', async () => {
    const changeAuthorities = async (made: EtcdWorld): Promise<void> => {
      // What has 100 days left is now in the last third of its life.
      made.spec = { ...SPEC, tls: { ...SPEC.tls, authorityDuration: '900d' } };
      await made.rests();
      await later(made, 1.5);
    };
    const whole = await running();
    const from = whole.effects;
    await changeAuthorities(whole);
    expect(whole.effects - from).toBeGreaterThan(15);
    for (let effect = from + 1; effect <= whole.effects; effect++) {
      const crashed = await running();
      crashed.crashAfter(effect);
      await changeAuthorities(crashed);
      expect({ effect, voters: crashed.voters() }).toEqual({ effect, voters: 3 });
      expect(daysLeft(crashed, 'etcd-authority', 'peer.crt')).toBeGreaterThan(890);
    }
  });

  it('clients that read the authorities a day ago believe all that members show', async () => {
    const made = await running();
    const seen: { readonly atMs: number; readonly text: string }[] = [];
    for (let step = 0; step < 160; step++) {
      made.nowMs += 0.6 * DAY_MS;
      await made.step();
      const { given } = made.objects.get('Secret/etcd-client-tls') ?? {};
      if (given !== undefined) seen.push({ atMs: made.nowMs, text: shownIn(given, 'ca.crt') });
      const old = seen.findLast(({ atMs }) => atMs <= made.nowMs - 0.9 * DAY_MS) ?? seen[0];
      for (const { tls } of made.etcd.processes.values()) {
        expect(isBelieved(tls?.server ?? '', old?.text ?? '', made.nowMs)).toBe(true);
      }
    }
  });
});

describe('etcd: certificates go wrong', () => {
  it('all have expired while the operator was away: they are made anew, and the cluster is the same', async () => {
    const made = await running();
    made.etcd.mayPart = true;
    made.nowMs += 40 * DAY_MS;
    for (let tick = 0; tick < 5; tick++) made.tick();
    expect(made.etcd.hasQuorum).toBe(false);
    await made.rests();

    expect(made.etcd.hasQuorum).toBe(true);
    expect(made.etcd.foundings).toBe(1);
    expect(made.voters()).toBe(3);
    expect(made.status.clusterID).toBe('c');
  });

  it('the authorities have expired, too: all are made anew, and the cluster is the same', async () => {
    const made = await running();
    made.etcd.mayPart = true;
    made.nowMs += 400 * DAY_MS;
    for (let tick = 0; tick < 5; tick++) made.tick();
    await made.rests();

    expect(made.etcd.hasQuorum).toBe(true);
    expect(made.etcd.foundings).toBe(1);
    expect(made.voters()).toBe(3);
  });

  it.each([400, -400, 0.1])(
    'the clock of the operator is wrong by %d days: no certificate is made, which is told once',
    async (days) => {
      const made = await running();
      made.etcd.aheadMs = days * DAY_MS;
      // So that something is due.
      made.spec = { ...SPEC, tls: { ...SPEC.tls, extraNames: ['etcd.example.com'] } };
      const before = made.writes.filter((write) => write.includes('Secret/'));
      for (let tick = 0; tick < 30; tick++) await made.step();

      expect(made.writes.filter((write) => write.includes('Secret/'))).toEqual(before);
      expect(made.reasons.at(-1)).toBe('ClocksDiffer');
      expect(made.messages.at(-1)).toContain(
        days > 0 ? 'ahead of those of the members' : 'behind those of the members',
      );
      expect(made.events.filter((event) => event.startsWith('ClocksDiffer'))).toHaveLength(1);
      made.etcd.aheadMs = 0;
      await made.rests();
      expect(certificate(made, 'etcd-0-tls', 'server.crt').checkHost('etcd.example.com')).toBe('etcd.example.com');
    },
  );

  it.each(['etcd-authority', 'etcd-client-tls', 'etcd-1-tls'])(
    'Secret %s is deleted: it is made anew, and members believe each other meanwhile',
    async (name) => {
      const made = await running();
      made.objects.delete(`Secret/${name}`);
      await made.rests();
      for (let day = 0; day < 3; day++) await later(made, 1);

      expect(made.objects.has(`Secret/${name}`)).toBe(true);
      expect(made.voters()).toBe(3);
      expect(told(made)).toBe('Valid');
    },
  );

  it.each([
    ['etcd-1-tls', 'server.crt', 'spoiled'],
    ['etcd-1-tls', 'peer.key', ''],
    ['etcd-client-tls', 'tls.key', 'spoiled'],
    ['etcd-client-tls', 'ca.crt', 'spoiled'],
    ['etcd-authority', 'client.key', 'spoiled'],
  ])('somebody writes into Secret %s, %s: it is put right', async (name, key, text) => {
    const made = await running();
    const stored = made.objects.get(`Secret/${name}`);
    if (stored === undefined) throw new Error(`there is no Secret ${name}`);
    const data: Readonly<Record<string, string>> = JSON.parse(JSON.stringify(stored.given['data']));
    made.objects.set(`Secret/${name}`, {
      ...stored,
      given: { ...stored.given, data: { ...data, [key]: Buffer.from(text).toString('base64') } },
    });
    await made.rests();
    for (let day = 0; day < 3; day++) await later(made, 1);

    expect(shownIn(made.objects.get(`Secret/${name}`)?.given ?? stored.given, key)).toMatch(/^-----BEGIN/);
    expect(made.voters()).toBe(3);
  });

  it('a member joins while the authority is a new one that not all trust: it waits until they do', async () => {
    const made = await running({ replicas: 1 });
    made.objects.delete('Secret/etcd-authority');
    made.spec = SPEC;
    await made.rests();

    expect(made.voters()).toBe(3);
  });

  it('a quiet month before the first renewal writes nothing', async () => {
    const made = await running();
    const before = made.writes.length;
    for (let step = 0; step < 60; step++) {
      made.nowMs += 0.3 * DAY_MS;
      await made.step();
    }

    expect(made.writes.slice(before)).toEqual([]);
  });
});

describe('etcd: certificates are given', () => {
  const GIVEN = { secrets: { server: 'servers', peer: 'peers', client: 'me' } };

  function authority(made: EtcdWorld): Pair {
    return makeAuthority('ours', { notBeforeMs: made.nowMs - 1000, notAfterMs: made.nowMs + 1000 * DAY_MS });
  }

  function secret(name: string, { cert, key }: Pair, ca: string): KubernetesObject {
    const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca };
    const encoded = Object.entries(data).map(([field, text]) => [field, Buffer.from(text).toString('base64')]);
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, resourceVersion: '1', uid: name, creationTimestamp: '' },
      data: Object.fromEntries(encoded),
    };
  }

  function give(made: EtcdWorld, by: Pair, { days = 90, names = ['*.etcd.db.svc'] } = {}): void {
    const lifetime = { notBeforeMs: made.nowMs - 1000, notAfterMs: made.nowMs + days * DAY_MS };
    const leaf = () => makeLeaf(by, { commonName: '', names, ...lifetime });
    const client = makeLeaf(by, { commonName: 'root', names: [], ...lifetime });
    made.given = [secret('servers', leaf(), by.cert), secret('peers', leaf(), by.cert), secret('me', client, by.cert)];
  }

  it('all members show what the Secrets have, and another authority in them is trusted by all before it is shown', async () => {
    const made = world({ tls: GIVEN });
    give(made, authority(made));
    await made.rests();
    const first = certificate(made, 'etcd-1-tls', 'server.crt').fingerprint256;
    expect(made.objects.has('Secret/etcd-authority')).toBe(false);
    await later(made, 30);
    give(made, authority(made));
    await made.rests();

    expect(certificate(made, 'etcd-1-tls', 'server.crt').fingerprint256).not.toBe(first);
    expect(made.voters()).toBe(3);
  });

  it('from certificates that are made to those that are given, and back', async () => {
    const made = await running();
    give(made, authority(made));
    made.spec = { ...SPEC, tls: GIVEN };
    await made.rests();
    expect(certificate(made, 'etcd-1-tls', 'server.crt').subjectAltName).toBe('DNS:*.etcd.db.svc');
    made.spec = SPEC;
    await made.rests();
    for (let day = 0; day < 3; day++) await later(made, 1);

    expect(certificate(made, 'etcd-1-tls', 'server.crt').checkHost('localhost')).toBe('localhost');
    expect(made.voters()).toBe(3);
  });

  it.each([
    ['that are not there', { days: 0, names: [] }, 'there is no Secret servers (spec.tls.secrets.server)'],
    ['that have expired', { days: -1 }, 'and not now: renew it'],
    ['for other names', { names: ['etcd.example.com'] }, 'is not for etcd-0-0.etcd.db.svc'],
  ])(
    'Secrets %s are refused with what to do, and members keep what they have',
    async (_, how: { days?: number; names?: string[] }, sentence) => {
      const made = world({ tls: GIVEN });
      give(made, authority(made));
      await made.rests();
      const first = certificate(made, 'etcd-1-tls', 'server.crt').fingerprint256;
      if (how.days === 0) made.given = [];
      else give(made, authority(made), how);
      for (let tick = 0; tick < 20; tick++) await made.step();

      expect(made.messages.at(-1)).toContain(sentence);
      expect(told(made)).toBe('CertificatesRefused');
      expect(certificate(made, 'etcd-1-tls', 'server.crt').fingerprint256).toBe(first);
      expect(made.events.filter((event) => event.startsWith('CertificatesRefused'))).toHaveLength(1);
    },
  );

  it('those that nobody renews are told ahead of their end, once', async () => {
    const made = world({ tls: { ...GIVEN } });
    give(made, authority(made), { days: 90 });
    await made.rests();
    made.nowMs += 60 * DAY_MS;
    await made.step();

    expect(told(made)).toBe('Expiring');
    for (let tick = 0; tick < 20; tick++) await made.step();
    expect(made.events.filter((event) => event.startsWith('CertificatesExpiring'))).toHaveLength(1);
  });
});

describe('etcd: what is asked of certificates', () => {
  it.each([
    ['365d', 365 * 24],
    ['2160h', 2160],
    ['90d12h', 90 * 24 + 12],
    ['1h', 1],
    ['43200m', 720],
  ])('the documented duration %s is taken, and kept (etcd-io PR#394)', async (duration, hours) => {
    const made = await running({ replicas: 1, tls: { duration } });

    const left = certificate(made, 'etcd-0-tls', 'server.crt').validToDate.getTime() - made.nowMs;
    expect(Math.abs(left / 3_600_000 - hours)).toBeLessThan(0.1);
  });

  it('addresses and further names are honoured (etcd-io PR#394), also when they come later', async () => {
    const made = await running({ replicas: 1, tls: { extraNames: ['10.0.0.7', 'fd00::7', '*.example.com'] } });
    const server = certificate(made, 'etcd-0-tls', 'server.crt');
    for (const address of ['10.0.0.7', 'fd00::7']) expect(server.checkIP(address)).toBe(address);
    expect(server.checkHost('a.example.com')).toBe('*.example.com');
    made.spec = { ...made.spec, tls: { extraNames: ['192.0.2.1'] } };
    for (let day = 0; day < 3; day++) await later(made, 1);

    expect(certificate(made, 'etcd-0-tls', 'server.crt').checkIP('192.0.2.1')).toBe('192.0.2.1');
  });

  it.each<[TlsOptions, string]>([
    [{ duration: '-365d' }, 'spec.tls.duration is "-365d": ask for at least 1h, such as 365d or 2160h'],
    [{ duration: '1y' }, 'spec.tls.duration is "1y"'],
    [{ duration: '59m' }, 'spec.tls.duration is "59m": ask for at least 1h'],
    [{ duration: '' }, 'spec.tls.duration is ""'],
    [{ duration: '90d', authorityDuration: '200d' }, 'ask for at least three times spec.tls.duration, which is 90d'],
    [{ authorityDuration: '100000d' }, 'at most 36500d'],
    [{ extraNames: ['etcd example'] }, 'spec.tls.extraNames has "etcd example": ask for a DNS name'],
    [{ extraNames: ['10.0.0'] }, 'spec.tls.extraNames has "10.0.0"'],
    [{ duration: '90d', secrets: { server: 'a', peer: 'b', client: 'c' } }, 'take one of them away'],
  ])('%j is refused with what to ask for', (tls, sentence) => {
    expect(specProblem({ ...SPEC, tls })).toContain(sentence);
  });

  it.each([
    [undefined, {}, 'spec.tls is absent'],
    [{}, undefined, 'spec.tls is new'],
  ])('TLS of a running cluster does not come or go', async (to, from, sentence) => {
    const of = (tls: TlsOptions | undefined) => {
      const { tls: _, ...spec } = SPEC;
      return { ...spec, replicas: 1, ...(tls && { tls }) };
    };
    const made = world();
    made.spec = of(from);
    await made.rests();
    const before = made.writes.length;
    const object = {
      apiVersion: '',
      kind: '',
      metadata: { name: 'etcd', resourceVersion: '', uid: '', creationTimestamp: '' },
    };
    expect(changeProblem({ ...object, spec: of(to) }, { ...object, spec: of(from) })).toContain(sentence);
    made.spec = of(to);
    for (let tick = 0; tick < 20; tick++) await made.step();

    expect(made.reasons.at(-1)).toBe('TlsCannotChange');
    expect(made.writes.slice(before)).toEqual(['write status']);
  });
});
