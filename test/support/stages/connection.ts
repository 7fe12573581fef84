import type { Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { Random } from '../../../bench/soak/random.ts';
import type { TestCertificate } from '../certificate.ts';
import { watchHttp1 } from './http1-watcher.ts';
import { watchHttp2 } from './http2-watcher.ts';
import { Lane } from './lane.ts';
import type { ConnectionFault, Protocol, Segment, Stage, StageWatcher } from './stages.ts';

/** The server behind the connections. */
export interface StageTarget {
  readonly url: string;
  readonly ca: string;
}

export interface StagedConnectionOptions {
  readonly near: Socket;
  readonly target: StageTarget;
  readonly certificate: TestCertificate;
  readonly protocol: Protocol;
  /** Whether the client asks for a tunnel first, as a proxy expects. */
  readonly isTunnel: boolean;
  readonly random: Random;
  /** Called at each stage: returns the fault that should strike there. */
  readonly reached: (stage: Stage) => ConnectionFault | undefined;
  /** Called when a fault has struck. */
  readonly struck: () => void;
}

/** How long nothing moves before a connection with an open response counts as idle. */
const IDLE_MS = 80;
/** Bytes passed on before a fault arrive before it; the fault strikes a random time later. */
const LEAD_MS = 8;
/** The stages that last only a moment. */
const AT_ONCE: ReadonlySet<Stage> = new Set<Stage>(['accepted', 'secured']);
const GARBAGE_BYTES = 64;

/** A connection whose TLS is terminated here on both sides, so that each of its stages is known and can be struck. */
export class StagedConnection {
  readonly #options: StagedConnectionOptions;
  readonly #watcher: StageWatcher;
  readonly #rawUp: Lane;
  readonly #rawDown: Lane;
  #up: Lane | undefined;
  #down: Lane | undefined;
  /** The sockets that are closed with the connection. */
  readonly #others = new Set<Duplex>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #idleTimer: NodeJS.Timeout | undefined;
  #isStruck = false;

  constructor(options: StagedConnectionOptions) {
    this.#options = options;
    const { near, protocol } = options;
    this.#watcher = protocol === 'h2' ? watchHttp2() : watchHttp1();
    const [wire, inner] = duplexPair();
    this.#keep(wire);
    this.#keep(inner);
    near.setNoDelay(true);
    near.on('error', () => {}).once('close', () => this.close());
    this.#rawDown = new Lane((bytes) => void (near.writable && near.write(bytes)));
    const intoTls = (bytes: Buffer): void => void (wire.writable && wire.write(bytes));
    this.#rawUp = new Lane(options.isTunnel ? this.#afterTunnel(intoTls) : intoTls);
    near.on('data', (chunk: Buffer) => this.#rawUp.send(chunk));
    near.once('end', () => {
      wire.end();
      if (this.#up === undefined) near.end();
    });
    this.#reach('accepted');
    this.#handshake(wire, inner);
  }

  /** Ends a lasting fault: bytes pass again. */
  heal(): void {
    for (const lane of this.#lanes()) lane.pass();
  }

  /** Resets the connection. */
  cut(): void {
    this.#options.near.resetAndDestroy();
  }

  close(): void {
    clearTimeout(this.#idleTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const lane of [this.#rawUp, this.#rawDown, ...this.#lanes()]) lane.drop();
    for (const other of this.#others) other.destroy();
    this.#options.near.destroy();
  }

  /** Answers the request for a tunnel; the bytes that follow it go to `next`. */
  #afterTunnel(next: (bytes: Buffer) => void): (bytes: Buffer) => void {
    let head: Buffer | undefined = Buffer.alloc(0);
    return (bytes) => {
      if (head === undefined) return next(bytes);
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const rest = head.subarray(end + 4);
      head = undefined;
      this.#rawDown.send(Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n'));
      if (rest.length > 0) next(rest);
    };
  }

  #handshake(wire: Duplex, inner: Duplex): void {
    const { certificate, protocol } = this.#options;
    wire.once('data', (first: Buffer) => {
      const middle = Math.floor(first.length / 2);
      this.#rawDown.send(first.subarray(0, middle));
      this.#reach('handshake');
      this.#rawDown.send(first.subarray(middle));
      this.#reach('secured');
      wire.on('data', (chunk: Buffer) => this.#rawDown.send(chunk));
    });
    const server = createServer({ ...certificate, ALPNProtocols: [protocol] });
    server.on('tlsClientError', () => this.close());
    server.once('secureConnection', (secure) => this.#join(secure));
    server.emit('connection', inner);
  }

  #join(secure: TLSSocket): void {
    const { target, protocol } = this.#options;
    const { hostname, port } = new URL(target.url);
    const far = connect({ host: hostname, port: Number(port), ca: target.ca, ALPNProtocols: [protocol] });
    far.setNoDelay(true);
    this.#keep(secure);
    this.#keep(far);
    const up = new Lane((bytes) => void (far.writable && far.write(bytes)));
    const down = new Lane((bytes) => void (secure.writable && secure.write(bytes)));
    this.#up = up;
    this.#down = down;
    this.#reach('beforeSettings');
    secure.on('data', (chunk: Buffer) => this.#pass(up, this.#watcher.up(chunk)));
    far.on('data', (chunk: Buffer) => this.#pass(down, this.#watcher.down(chunk)));
    secure.once('end', () => far.end());
    far.once('close', () => {
      if (!this.#isStruck) secure.end(() => this.close());
    });
  }

  #pass(lane: Lane, segments: readonly Segment[]): void {
    for (const { bytes, reaches } of segments) {
      lane.send(bytes);
      if (reaches !== undefined) this.#reach(reaches);
    }
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#idle(), IDLE_MS);
  }

  #idle(): void {
    if (!this.#watcher.isIdle() || this.#isStruck) return;
    this.#reach('idle');
    if (!this.#isStruck) this.#reach('goaway');
  }

  #reach(stage: Stage): void {
    const { random, reached } = this.#options;
    const fault = this.#isStruck ? undefined : reached(stage);
    if (fault === undefined) return;
    this.#isStruck = true;
    if (stage === 'goaway') this.#down?.send(this.#watcher.farewell());
    // Bytes that arrive meanwhile are struck by the fault too.
    for (const lane of this.#lanes()) lane.wait();
    if (AT_ONCE.has(stage)) this.#strike(fault);
    else this.#timers.add(setTimeout(() => this.#strike(fault), random.between(0, LEAD_MS)));
  }

  #strike(fault: ConnectionFault): void {
    const { near, struck } = this.#options;
    switch (fault) {
      case 'reset':
        near.resetAndDestroy();
        break;
      case 'fin':
        this.#mute();
        near.end();
        break;
      case 'silence':
        this.#mute();
        near.pause();
        break;
      case 'garbage':
        (this.#down ?? this.#rawDown).insert(this.#garbage());
        this.heal();
        break;
      case 'slow':
        for (const lane of this.#lanes()) lane.drip();
        break;
    }
    struck();
  }

  #mute(): void {
    for (const lane of [this.#rawUp, this.#rawDown]) lane.drop();
  }

  /**
   * Bytes that are neither a TLS record nor an HTTP/2 frame: the beginning of a long record would look like silence.
   */
  #garbage(): Buffer {
    const { random } = this.#options;
    return Buffer.from(Array.from({ length: GARBAGE_BYTES }, () => random.between(0x80, 0xff)));
  }

  /** The lanes of the layer that the connection has reached. */
  #lanes(): readonly Lane[] {
    return this.#up === undefined || this.#down === undefined ? [this.#rawUp, this.#rawDown] : [this.#up, this.#down];
  }

  #keep(other: Duplex): void {
    this.#others.add(other.on('error', () => {}));
  }
}
