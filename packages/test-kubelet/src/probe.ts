import type { V1Container, V1HTTPGetAction, V1Probe } from '@kubernetes/client-node';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { sleep } from '../../../src/lib/sleep.ts';
import type { Container } from './container.ts';

/** The target of a probe. */
export interface Probed {
  readonly spec: V1Container;
  readonly container: Container;
  readonly address: string;
}

/** Undefined for success, otherwise the reason of the failure. */
export type ProbeResult = string | undefined;

/**
 * Probes repeatedly until `signal` aborts, and calls `onChange` each time the number of equal results in a row reaches
 * its threshold. A probe over the network goes from this machine to the pod's address.
 */
export async function runProbe(
  probe: V1Probe,
  probed: Probed,
  { signal, onChange }: { readonly signal: AbortSignal; readonly onChange: (result: ProbeResult) => void },
): Promise<void> {
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = probe;
  let streak = { isWell: false, length: 0 };
  await sleep(initialDelaySeconds * 1000, signal);
  while (!signal.aborted) {
    const result = await probeOnce(probe, probed);
    if (signal.aborted) return;
    const isWell = result === undefined;
    streak = { isWell, length: streak.isWell === isWell ? streak.length + 1 : 1 };
    if (streak.length === (isWell ? successThreshold : failureThreshold)) onChange(result);
    await sleep(periodSeconds * 1000, signal);
  }
}

async function probeOnce(probe: V1Probe, probed: Probed): Promise<ProbeResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  try {
    if (probe.exec !== undefined) return await execute(probe.exec.command ?? [], probed, timeoutMs);
    if (probe.httpGet !== undefined) return await httpGet(probe.httpGet, probed, timeoutMs);
    if (probe.tcpSocket !== undefined) {
      const { host = probed.address, port } = probe.tcpSocket;
      return await tcp(host, portOf(port, probed.spec), timeoutMs);
    }
    return `this probe is unknown here: ${JSON.stringify(probe)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function execute(command: readonly string[], { container }: Probed, timeoutMs: number): Promise<ProbeResult> {
  const { exitCode, stdout, stderr } = await container.exec(command, { timeoutSeconds: timeoutMs / 1000 });
  return exitCode === 0 ? undefined : `${stdout}${stderr}`.trim() || `command exited with ${exitCode}`;
}

/** Sends an HTTP request as a kubelet does: any certificate is accepted, and a status from 200 to 399 is a success. */
export async function httpGet(
  action: V1HTTPGetAction,
  { address, spec }: Probed,
  timeoutMs: number,
): Promise<ProbeResult> {
  const { host = address, path = '/', scheme = 'HTTP', port, httpHeaders = [] } = action;
  const request = scheme === 'HTTPS' ? requestHttps : requestHttp;
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const sent = request(
    `${scheme.toLowerCase()}://${host}:${portOf(port, spec)}${path.startsWith('/') ? path : `/${path}`}`,
    {
      agent: false,
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'user-agent': 'kube-probe/1.35',
        ...Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])),
      },
    },
  );
  sent.on('response', ({ statusCode = 0 }) => {
    resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
    sent.destroy();
  });
  sent.on('error', (error) => resolve(`Get "${sent.protocol}//${sent.host}:${sent.path}": ${error.message}`));
  sent.end();
  return promise;
}

async function tcp(host: string, port: number, timeoutMs: number): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ host, port });
  socket.setTimeout(timeoutMs, () => resolve(`dial tcp ${host}:${port}: i/o timeout`));
  socket.once('connect', () => resolve(undefined));
  socket.once('error', (error) => resolve(`dial tcp ${host}:${port}: ${error.message}`));
  return promise.finally(() => socket.destroy());
}

function portOf(port: number | string, spec: V1Container): number {
  const named = spec.ports?.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}
