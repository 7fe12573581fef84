import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/metrics.ts';
import type { TracingSettings } from '../../../src/operator/tracing/open-tracing.ts';
import { openSpanSender } from '../../../src/operator/tracing/span-sender.ts';
import type { TraceSpan } from '../../../src/run/run-traces.ts';
import { metricValues } from '../../support/metric-values.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { attributesOf, grpcCollector, httpCollector } from '../../support/trace-collector.ts';

const span: TraceSpan = {
  traceId: '0123456789abcdef0123456789abcdef',
  spanId: '0123456789abcdef',
  parentId: 'fedcba9876543210',
  name: 'run',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_100.5,
  attributes: { 'hooklet.hook': 'a.sh', 'hooklet.attempt': 1 },
  moments: [{ name: 'queued', atMs: 1_700_000_000_001 }],
  error: 'it failed',
};

async function rig(settings: Partial<TracingSettings>) {
  const [log, metrics] = [recordingLogger(), createMetrics('')];
  const resource = { 'service.name': 'hooklet', 'service.version': '1' };
  const complete: TracingSettings = { protocol: 'http/json', shown: 'there', resource, ...settings };
  const sender = await openSpanSender(complete, { metrics, log });
  return { log, sender, dropped: () => metricValues(metrics, 'trace_spans_dropped_total')[0] };
}

describe('the sender of spans', () => {
  it('sends them as OTLP over HTTP in JSON, with the resource and the token', async () => {
    const collector = await httpCollector();
    const { sender, dropped } = await rig({ url: `${collector.url}/v1/traces`, authorization: 'Bearer secret' });

    sender.send(span);
    await sender.close();

    expect(collector.requests).toHaveLength(1);
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { authorization: 'Bearer secret' } });
    expect(collector.resource()).toMatchObject({ 'service.name': 'hooklet', 'service.version': '1' });
    const [sent] = collector.spans();
    expect(sent).toMatchObject({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentId,
      name: 'run',
      startTimeUnixNano: '1700000000000250000',
      endTimeUnixNano: '1700000000100500000',
      status: { code: 2, message: 'it failed' },
      events: [{ name: 'queued', timeUnixNano: '1700000000001000000' }],
    });
    expect(sent && attributesOf(sent)).toEqual({ 'hooklet.hook': 'a.sh', 'hooklet.attempt': 1 });
    expect(dropped()).toBe('0');
  });

  it('sends them in Protocol Buffers', async () => {
    const collector = await httpCollector();
    const { sender } = await rig({ protocol: 'http/protobuf', url: `${collector.url}/v1/traces` });

    sender.send(span);
    await sender.close();

    expect(collector.requests[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(collector.requests[0]?.body.includes(Buffer.from(span.traceId, 'hex'))).toBe(true);
  });

  it('sends them over gRPC, with the token', async () => {
    const collector = await grpcCollector();
    const url = `http://${collector.address}/`;
    const { sender, log } = await rig({ protocol: 'grpc', url, authorization: 'Bearer secret' });

    sender.send(span);
    await sender.close();

    expect(log.lines).toEqual([]);
    expect(collector.requests).toHaveLength(1);
    expect(collector.requests[0]?.metadata.get('authorization')).toEqual(['Bearer secret']);
    expect(collector.requests[0]?.body.includes(Buffer.from(span.spanId, 'hex'))).toBe(true);
  });

  it.each([
    // It is tried again until the end.
    ['http/json', 'traces were not sent before the end', '0'],
    ['grpc', 'traces cannot be sent', '600'],
  ] as const)('says once by %s that there is no collector, within 4 s of the end', async (protocol, message, count) => {
    const url = `http://127.0.0.1:${await unusedPort()}/v1/traces`;
    const { sender, log, dropped } = await rig({ protocol, url });

    for (let n = 0; n < 600; n += 1) sender.send(span);
    const startedAt = performance.now();
    await sender.close();

    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(log.lines.map((line) => line.message)).toEqual([message]);
    expect(dropped()).toBe(count);
  });

  it('logs a collector that refuses once, and that it takes them again', async () => {
    const collector = await httpCollector(400);
    const { sender, log, dropped } = await rig({ url: `${collector.url}/v1/traces` });

    for (let n = 0; n < 512; n += 1) sender.send(span);
    await expect.poll(() => log.lines.length).toBe(1);
    collector.answer(200);
    for (let n = 0; n < 512; n += 1) sender.send(span);
    await expect.poll(() => log.lines.length).toBe(2);
    await sender.close();

    expect(log.lines.map(({ message }) => message)).toEqual(['traces cannot be sent', 'traces are sent again']);
    expect(log.lines[0]?.fields['endpoint']).toBe('there');
    expect(dropped()).toBe('512');
  });

  it('drops what is above 2048 spans where the collector does not answer, and closes within 3 s', async () => {
    const collector = await httpCollector('never');
    const { sender, dropped } = await rig({ url: `${collector.url}/v1/traces` });

    for (let n = 0; n < 5000; n += 1) sender.send(span);
    expect(dropped()).toBe('2952');
    const startedAt = performance.now();
    await sender.close();

    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
