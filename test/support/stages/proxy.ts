import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { seededRandom } from '../../../bench/soak/random.ts';
import { createCertificate, type TestCertificate } from '../certificate.ts';
import { StagedConnection, type StageTarget } from './connection.ts';
import type { ConnectionFault, Protocol, Stage } from './stages.ts';

export interface StageProxyOptions {
  readonly target: StageTarget;
  readonly protocol: Protocol;
  /** Whether clients must ask it for tunnels, as an HTTP proxy; all of them lead to its own target. */
  readonly isTunnel?: boolean;
  readonly certificate?: TestCertificate;
  readonly seed?: number;
}

/** A proxy between clients and an API server that strikes connections at their stages. */
export interface StageProxy extends AsyncDisposable {
  readonly port: number;
  /** The certificate that clients must trust. */
  readonly ca: string;
  /** The number of connections struck so far. */
  readonly strikes: number;
  /** Strikes the next connection that reaches the stage; resolves when it has struck. */
  strikeNext(stage: Stage, fault: ConnectionFault, signal: AbortSignal): Promise<void>;
  /** From now on strikes every connection as soon as it reaches the stage. */
  startStorm(stage: Stage, fault: ConnectionFault): void;
  /** Ends the faults for new and slow connections; silent ones stay silent. */
  endStorm(): void;
  /** Resets every connection. */
  cut(): void;
}

interface Plan {
  readonly stage: Stage;
  readonly fault: ConnectionFault;
  readonly isStorm: boolean;
}

/** Starts a proxy on a loopback port. */
export async function startStageProxy(options: StageProxyOptions): Promise<StageProxy> {
  const { target, protocol, isTunnel = false, certificate = createCertificate(), seed = 1 } = options;
  const random = seededRandom(seed);
  const connections = new Map<Socket, StagedConnection>();
  let plan: Plan | undefined;
  let strikes = 0;
  let wake: () => void = () => {};

  const reached = (stage: Stage): ConnectionFault | undefined => {
    if (plan?.stage !== stage) return undefined;
    const { fault, isStorm } = plan;
    if (!isStorm) plan = undefined;
    return fault;
  };
  const struck = (): void => {
    strikes += 1;
    wake();
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.once('close', () => connections.delete(near));
    const given = { near, target, certificate, protocol, isTunnel, random, reached, struck };
    connections.set(near, new StagedConnection(given));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    ca: certificate.cert,
    get strikes() {
      return strikes;
    },
    async strikeNext(stage, fault, signal) {
      plan = { stage, fault, isStorm: false };
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal.addEventListener('abort', () => reject(new Error(`no connection came to ${stage}`)), { once: true });
      });
    },
    startStorm(stage, fault) {
      plan = { stage, fault, isStorm: true };
    },
    endStorm() {
      plan = undefined;
      for (const connection of connections.values()) connection.heal();
    },
    cut() {
      for (const connection of connections.values()) connection.cut();
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections.values()) connection.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
