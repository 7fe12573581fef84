import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guardLost, LOST_REASONS } from '../../solutions/etcd-repair/hooks/lib/guard-lost.ts';
import { sendsDatabase } from '../../solutions/etcd-repair/hooks/lib/leader-metrics.ts';
import { readSettings } from '../../solutions/etcd-repair/hooks/lib/settings.ts';

const LONG_AGO = '2026-01-01T00:00:00Z';
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Serves the answers of the leader over HTTP; returns the port. */
async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The leader's view of member 2, which the hook does not reach. */
function vars(progress: object): RequestListener {
  return (_, response) => response.end(JSON.stringify({ 'raft.status': { commit: 9, progress } }));
}

const SEES = { 2: { match: 9, state: 'StateReplicate' } };
const SEES_NOT = { 2: { match: 3, state: 'StateProbe' } };
/** The answer of a client URL that only serves gRPC. */
const GRPC_ONLY: RequestListener = (_, response) => response.writeHead(415).end();

interface Situation {
  readonly clientPort: number;
  readonly httpPort?: number;
  readonly isReady?: boolean;
  readonly since?: string;
}

/** Whether member 2 counts as lost, and the reasons for refusing or waiting. */
async function judge({ clientPort, httpPort, isReady = false, since = LONG_AGO }: Situation) {
  const told: string[] = [];
  const messages: string[] = [];
  const outcome = {
    say: () => {},
    refuse: (reason: string, message: string) => (told.push(reason), messages.push(message), false),
    waitForNews: (message: string) => (told.push('waits'), messages.push(message), false),
  };
  const endpoint = `http://127.0.0.1:${clientPort}`;
  const leader = { pod: 'etcd-0', endpoint, answers: true, member: { id: '1' }, status: { memberId: '1' } };
  const target = { pod: 'etcd-1', error: 'context deadline exceeded', member: { id: '2', isLearner: false } };
  const facts = {
    nowMs: Date.now(),
    leader: '1',
    pods: [leader, target],
    target,
    targetPod: { name: 'etcd-1', ready: isReady, containersReady: isReady, deleting: false, endsAt: '' },
    alarms: { corrupt: [], noSpace: [] },
    unhealthySince: { 'etcd-1': since },
  };
  const env = { ETCD_CLIENT_PORT: String(clientPort), ETCD_HTTP_PORT: httpPort?.toString() };
  const etcd = { signal: new AbortController().signal };
  const turn = { settings: readSettings(env), etcd, facts, outcome } as unknown as Parameters<typeof guardLost>[0];
  return { isLost: await guardLost(turn), told, message: messages.join() };
}

describe('a member that does not answer the hook, whose Pod is not ready', () => {
  it('is lost when the leader does not see it', async () => {
    expect(await judge({ clientPort: await serve(vars(SEES_NOT)) })).toMatchObject({ isLost: true, told: [] });
  });

  it('is not lost when the leader sees it', async () => {
    expect(await judge({ clientPort: await serve(vars(SEES)) })).toMatchObject({
      isLost: false,
      told: ['SeenByOthers'],
    });
  });

  it.each([
    ['speaks only gRPC', GRPC_ONLY, 'HTTP 415'],
    ['leads no more, so that it knows of nobody', vars({}), 'knows nothing of the member 2'],
    ['answers with something else', (_, response) => response.end('{}'), 'no raft.status'],
  ])('is not lost when the leader %s, which is told with what to do', async (_, answer, why) => {
    const { isLost, told, message } = await judge({ clientPort: await serve(answer) });

    expect({ isLost, told }).toEqual({ isLost: false, told: ['WitnessUnknown'] });
    expect(message).toContain(why);
    expect(message).toContain('ETCD_HTTP_PORT');
    expect(LOST_REASONS).toContain('WitnessUnknown');
  });

  it('is waited for before that is told', async () => {
    const since = new Date().toISOString();

    expect(await judge({ clientPort: await serve(GRPC_ONLY), since })).toMatchObject({
      isLost: false,
      told: ['waits'],
    });
  });

  it('is judged by the port where etcd serves HTTP', async () => {
    const clientPort = await serve(GRPC_ONLY);

    expect(await judge({ clientPort, httpPort: await serve(vars(SEES_NOT)) })).toMatchObject({ isLost: true });
    expect(await judge({ clientPort, httpPort: await serve(vars(SEES)) })).toMatchObject({ isLost: false });
  });
});

it('a member whose Pod is Ready is not lost, whatever the leader knows', async () => {
  for (const answer of [vars(SEES_NOT), GRPC_ONLY]) {
    expect(await judge({ clientPort: await serve(answer), isReady: true })).toMatchObject({
      isLost: false,
      told: ['SeenByOthers'],
    });
  }
});

it('of metrics no more is read than 4 MiB, be it one line', async () => {
  const CHUNK = Buffer.alloc(256 * 1024, 'x');
  const MOST_CHUNKS = 256;
  let sent = 0;
  const metrics: RequestListener = (_, response) => {
    const more = (): void => {
      if (response.destroyed || sent === MOST_CHUNKS) return void response.end();
      sent += 1;
      response.write(CHUNK, more);
    };
    more();
  };
  const port = await serve(metrics);

  expect(await sendsDatabase({ timeoutMs: 60_000 }, `http://127.0.0.1:${port}`, '2')).toBe(false);
  // Besides what is read, sockets hold some.
  expect(sent).toBeLessThan(MOST_CHUNKS / 2);
});

it('whether the leader sends its database is asked at the port where etcd serves HTTP', async () => {
  const metrics: RequestListener = ({ url }, response) =>
    response.end(url === '/metrics' ? 'etcd_network_snapshot_send_inflights_total{To="2"} 1\n' : '');
  const clientPort = await serve(GRPC_ONLY);
  const settings = (port: number) => readSettings({ ETCD_HTTP_PORT: String(port) });
  const endpoint = `http://127.0.0.1:${clientPort}`;

  expect(await sendsDatabase(settings(await serve(metrics)), endpoint, '2')).toBe(true);
  expect(await sendsDatabase(settings(clientPort), endpoint, '2')).toBe(false);
});
