import { X509Certificate } from 'node:crypto';
import { Agent } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import { openHttpServer } from '../../../src/server/http-server.ts';
import { selfMadeCertificates } from '../../../src/server/certificates/self-made/self-made.ts';
import { asJsonObject, text } from '../../../src/kube/object.ts';
import { review } from '../../support/certificates/caller.ts';
import { certificateSandbox, keepRegistered, type Connection } from '../../support/certificates/rig.ts';
import { until } from '../../support/operator-rig.ts';

const MINUTE = 60_000;
const LIFETIMES = { authorityMs: 60 * MINUTE, leafMs: 30 * MINUTE, slackMs: 12 * 60 * MINUTE };
const PLACE = { namespace: 'default', name: 'hooklet-webhook-certs' };
const NAMES = ['first', 'second'];
/** How late the API server learns of a registration, and how long replicas wait for that. */
const LAG_MS = 100;
const SETTLE_MS = 250;
const REQUESTS = 12_000;
const ROTATIONS = 10;
const APART_MS = 5 * MINUTE;
const CALLERS = 12;
/** Of so many requests one opens a connection. */
const NEW_CONNECTION = 10;

/** The time of the API server; it runs, and is moved by the test. */
function drivenClock() {
  const clock = { passedMs: 0, now: () => Date.now() + clock.passedMs };
  return clock;
}

type Clock = ReturnType<typeof drivenClock>;

interface Replica {
  readonly port: number;
  readonly connection: Connection;
  readonly problem: () => string | undefined;
  readonly served: () => string;
  /** Requests that it has not answered yet. */
  readonly pending: { count: number };
  readonly stop: () => Promise<void>;
}

async function startReplica(connection: Connection, clock: Clock, aheadMs: number): Promise<Replica> {
  const { client, watches, registered, log, metrics, recorder: events } = connection;
  const now = (): number => clock.now() + aheadMs;
  const certificates = selfMadeCertificates({
    client,
    watches,
    registered,
    log,
    metrics,
    events,
    place: PLACE,
    names: ['hooks.default.svc'],
    lifetimes: LIFETIMES,
    settleMs: SETTLE_MS,
    clock: { now, monotonicMs: () => performance.now() },
    tickMs: 40,
    serverTime: () => clock.now(),
  });
  const end = new AbortController();
  const running = [
    certificates.run(end.signal),
    keepRegistered(connection, certificates, { names: NAMES, now }, end.signal),
  ];
  await until(() => expect(certificates.serving).toBeDefined());
  const server = await openHttpServer({
    listen: {
      type: 'tls',
      address: '127.0.0.1',
      port: 0,
      flags: { address: '--address', port: '--port' },
      certificate: () => certificates.serving ?? { cert: '', key: '' },
    },
    bounds: {
      maxConnections: 200,
      maxPending: 100,
      headersLimitMs: 10_000,
      answerLimitMs: 10_000,
      bodies: { maxBytes: 1000, limitMs: 10_000 },
    },
    route: () => ({ maxBodyBytes: 1000, handle: () => ({ status: 200, type: 'application/json', body: '{}' }) }),
    explain: (status, body) => ({ status, type: 'text/plain', body }),
    failed: () => {},
    broken: () => {},
  });
  const renew = async (): Promise<void> => {
    for await (const _ of certificates.changes(end.signal)) server.renew();
  };
  running.push(renew(), server.run(end.signal));
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all(running);
  };
  onTestFinished(stop);
  const pending = { count: 0 };
  return {
    port: server.port,
    connection,
    problem: () => certificates.problem,
    served: () => String(certificates.serving?.cert),
    pending,
    stop,
  };
}

/** The API server: what it knows of the registered objects is late, and it asks replicas that are ready in turn. */
function apiServer({ registered }: Connection, clock: Clock) {
  const replicas: Replica[] = [];
  const known = new Map<string, string>();
  const end = new AbortController();
  const learn = async (): Promise<void> => {
    for await (const _ of registered.changes(end.signal)) {
      const now = new Map([...registered.objects].map(([name, { bundle }]) => [name, bundle]));
      setTimeout(() => {
        for (const [name, bundle] of now) known.set(name, bundle);
      }, LAG_MS);
    }
  };
  const learning = learn();
  const agents = replicaAgents();
  onTestFinished(async () => {
    end.abort();
    agents.destroy();
    await learning;
  });
  const state = { asked: 0, failures: [] as string[], allowed: 0 };
  const ask = async (): Promise<void> => {
    const index = state.asked;
    state.asked += 1;
    const ready = replicas.filter((replica) => replica.problem() === undefined);
    const replica = ready[index % ready.length];
    const ca = known.get(NAMES[index % NAMES.length] ?? '') ?? '';
    if (replica === undefined) throw new Error(replicas.map((one) => one.problem()).join());
    const agent = agents.of(index % NEW_CONNECTION === 0 ? 'new' : 'kept');
    replica.pending.count += 1;
    await review({ port: replica.port, agent, ca, nowMs: clock.now() }).finally(() => {
      replica.pending.count -= 1;
    });
  };
  const caller = async (): Promise<void> => {
    while (state.asked < REQUESTS) {
      if (state.asked >= state.allowed) await new Promise((resolve) => setTimeout(resolve, 5));
      else await ask().catch((error: unknown) => state.failures.push(String(error)));
    }
  };
  return { replicas, known, state, run: async () => Promise.all(Array.from({ length: CALLERS }, caller)) };
}

function replicaAgents() {
  const kept = new Agent({ keepAlive: true, maxSockets: 50, timeout: 5000 });
  const fresh = new Agent({ keepAlive: false, maxCachedSessions: 0 });
  return {
    of: (kind: 'new' | 'kept') => (kind === 'new' ? fresh : kept),
    destroy: () => {
      kept.destroy();
      fresh.destroy();
    },
  };
}

it('two replicas answer all of 12,000 requests during 10 rotations of authority and leaf, their clocks 5 minutes apart, and one of them is killed', async () => {
  const { sandbox, connect } = await certificateSandbox();
  const clock = drivenClock();
  const api = apiServer(await connect(), clock);
  const start = async (aheadMs: number): Promise<Replica> => {
    const replica = await startReplica(await connect(), clock, aheadMs);
    await until(() => expect(replica.problem()).toBeUndefined());
    api.replicas.push(replica);
    return replica;
  };
  const texts = async (): Promise<ReadonlyMap<string, string>> => {
    const { body } = await sandbox.call('GET', `/api/v1/namespaces/default/secrets/${PLACE.name}`);
    const data = Object.entries(asJsonObject(asJsonObject(body)['data']));
    return new Map(data.map(([key, value]) => [key, Buffer.from(text(value), 'base64').toString()]));
  };
  const first = await start(-APART_MS / 2);
  await start(APART_MS / 2);
  await until(() => expect(NAMES.every((name) => api.known.has(name))).toBe(true));
  const running = api.run();
  const authorities = new Set<string>();
  const leaves = new Set<string>();

  const rest = async (): Promise<void> => {
    // Until what is due has been done.
    await until(async () => {
      const held = await texts();
      const leaf = new X509Certificate(held.get('tls.crt') ?? '');
      const newest = leaf.validToDate.getTime() - clock.now() - APART_MS / 2;
      expect(held.has('ca-next.key')).toBe(false);
      expect(newest).toBeGreaterThan(LIFETIMES.leafMs / 3 - 1000);
      // The clocks run faster than the time to settle.
      expect(api.replicas.every((replica) => replica.served() === held.get('tls.crt'))).toBe(true);
      leaves.add(leaf.fingerprint256);
      authorities.add(held.get('ca.key') ?? '');
    });
  };
  await rest();
  for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
    api.state.allowed = (REQUESTS / ROTATIONS) * (rotation + 1);
    const before = authorities.size;
    while (authorities.size <= before && clock.passedMs < 11 * 60 * MINUTE) {
      clock.passedMs += 6 * MINUTE;
      if (rotation === 4 && api.replicas.includes(first)) {
        // What it was asked before it was killed fails with any certificate.
        api.replicas.shift();
        await until(() => expect(first.pending.count).toBe(0));
        await first.stop();
      }
      await rest();
    }
    if (rotation === 5) await start(-APART_MS / 2);
    await until(() => expect(api.state.asked).toBeGreaterThanOrEqual(api.state.allowed));
  }
  await running;

  expect([...new Set(api.state.failures)]).toEqual([]);
  expect(api.state.asked).toBe(REQUESTS);
  expect(authorities.size).toBe(1 + ROTATIONS);
  expect(leaves.size).toBeGreaterThan(2 * ROTATIONS);
}, 180_000);
