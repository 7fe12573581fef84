import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { openLeadership } from '../../src/operator/leadership.ts';
import { openEvents } from '../../src/operator/open-events.ts';
import { never } from '../support/hook-rig.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { json, startServer, type ScriptedServer } from '../support/scripted-server.ts';

const env = { POD_NAME: 'hooklet-0', POD_NAMESPACE: 'default' };
/** Real time that connections get for each second of fake time. */
const TURN_MS = 5;
const realTimeout = setTimeout;
const SILENT = expect.stringMatching(/^requests .* got no response for (2[5-9]|30) s; all connections were closed/);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that accepts every request and answers none while `isSilent` is true. */
async function startSilentServer(ends: AsyncDisposableStack) {
  const state = { isSilent: true, bodies: [] as string[] };
  const server = await startServer((request, response) => {
    if (state.isSilent) return;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      state.bodies.push(body);
      json(response, 201, {});
    });
  });
  ends.defer(async () => server.close());
  return { server, state };
}

/** Lets fake time pass second by second, with some real time for the connections after each. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 1) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((resolve) => realTimeout(resolve, TURN_MS));
  }
}

/** Waits in real time for a request, which must arrive before fake time passes. */
async function asked(server: ScriptedServer): Promise<void> {
  while (server.asked.length === 0) await new Promise((resolve) => realTimeout(resolve, TURN_MS));
}

describe('connections of which nothing comes', () => {
  it('are replaced, with a log line, the metric and an Event about the Pod', async () => {
    await using ends = new AsyncDisposableStack();
    const { server, state } = await startSilentServer(ends);
    const [log, metrics] = [recordingLogger(), createMetrics('')];
    const access = await createClusterAccess({ connect: async () => server.cluster, userAgent: 'x' }, { log, metrics });
    ends.defer(async () => access.client.close());
    const events = openEvents({ env, log }, access);
    const failed = access.client.request({ method: 'GET', path: '/api', timeoutMs: 60_000 }, never).catch(String);

    await asked(server);
    await pass(31);

    expect(await failed).toContain('nothing was received for');
    expect(log.lines).toContainEqual({
      level: 'error',
      fields: { silentSeconds: expect.any(Number) },
      message: 'requests got no response, all connections are replaced',
    });
    expect(metricValues(metrics, 'kubernetes_client_connections_replaced_total')).toEqual(['1']);
    state.isSilent = false;
    vi.useRealTimers();
    const stop = new AbortController();
    const sent = events.run(stop.signal);
    await vi.waitFor(() => expect(state.bodies).toHaveLength(1), { timeout: 5000 });
    stop.abort();
    await sent;
    expect(JSON.parse(state.bodies[0] ?? '')).toMatchObject({
      reason: 'ConnectionsReplaced',
      type: 'Warning',
      message: SILENT,
      involvedObject: { kind: 'Pod', name: 'hooklet-0' },
    });
  });

  it('are replaced where they are those of the lease, with a log line, the metric and an Event', async () => {
    await using ends = new AsyncDisposableStack();
    const { server } = await startSilentServer(ends);
    const [log, metrics] = [recordingLogger(), createMetrics('')];
    const recorded: RecordedEvent[] = [];
    const events = { record: (event: RecordedEvent) => void recorded.push(event) };
    const settings = { leaseName: 'hooklet', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 2000 };
    const access = { cluster: server.cluster };
    const parts = { access, userAgent: 'x', env, metrics, events, fence: () => {}, log };
    const leadership = openLeadership(settings, parts, ends);
    const stop = new AbortController();
    const ran = leadership.run(stop.signal);

    await asked(server);
    await pass(31);
    stop.abort();
    await pass(20);
    await ran;

    expect(recorded).toContainEqual({ type: 'Warning', reason: 'ConnectionsReplaced', message: expect.any(String) });
    expect(recorded[0]?.message).toContain('requests for the lease got no response for');
    expect(Number(metricValues(metrics, 'kubernetes_client_connections_replaced_total')[0])).toBe(recorded.length);
    expect(log.lines.map(({ message }) => message)).toContain(
      'requests for the lease got no response, their connections are replaced',
    );
  });
});
