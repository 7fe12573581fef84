import type { Socket } from 'node:net';

/** The open connection of a client. */
export interface Connection {
  /** Its socket, or the TLS on it. */
  readonly socket: Socket;
  /** The session, where the client speaks HTTP/2. */
  session: Session | undefined;
  /** For each request that waits, what tells it that the client has gone. */
  readonly pending: Set<() => void>;
}

/** What ends an HTTP/2 session. */
export interface Session {
  /** Takes no more requests, answers those that wait, then ends. */
  close(): void;
  destroy(): void;
}

/** The open connections, and the requests that wait on each. */
export class Connections {
  readonly #max: number;
  /** In the order in which they were heard of last. */
  readonly #open = new Map<Socket, Connection>();
  #isEnding = false;

  /** One above `max` takes the place of the one that was silent longest. */
  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Socket): Connection {
    // A probe comes with a new connection, so the oldest one goes: a client that opens many cannot shut it out.
    const [oldest] = this.#open.values();
    if (oldest !== undefined && this.#open.size >= this.#max) this.drop(oldest);
    const connection: Connection = { socket, session: undefined, pending: new Set() };
    this.#open.set(socket, connection);
    socket.once('close', () => this.drop(connection));
    return connection;
  }

  /** Puts the TLS on a socket in the place of that socket. */
  secure(socket: Socket, secured: Socket): Connection {
    this.#open.delete(socket);
    return this.add(secured);
  }

  /** The connection of a socket; undefined once it has ended. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Notes a request, which `gone` tells that the client has gone; the function that it returns notes its end. */
  begin(connection: Connection, gone: () => void): () => void {
    const { socket, pending } = connection;
    this.#open.delete(socket);
    this.#open.set(socket, connection);
    pending.add(gone);
    return () => {
      pending.delete(gone);
      if (this.#isEnding && pending.size === 0 && connection.session === undefined) socket.destroySoon();
    };
  }

  drop(connection: Connection): void {
    const { socket, session, pending } = connection;
    this.#open.delete(socket);
    session?.destroy();
    socket.destroy();
    for (const gone of pending) gone();
  }

  /** Ends those on which no request waits, and the others when they are answered. */
  end(): void {
    this.#isEnding = true;
    for (const connection of this.#open.values()) {
      if (connection.session !== undefined) connection.session.close();
      else if (connection.pending.size === 0) this.drop(connection);
    }
  }

  destroy(): void {
    for (const connection of this.#open.values()) this.drop(connection);
  }
}
