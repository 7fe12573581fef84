import type { Socket } from 'node:net';

/** An open connection of a client. */
export interface Connection {
  /** The TCP socket, or the TLS socket on top of it. */
  readonly socket: Socket;
  /** The session, if the client speaks HTTP/2. */
  session: Session | undefined;
  /** Whether its client has shown that it is one of ours. */
  isTrusted: boolean;
  /** One callback per unanswered request, called when the client has disconnected. */
  readonly pending: Set<() => void>;
}

/** The part of an HTTP/2 session that ends it. */
export interface Session {
  /** Accepts no more requests, answers the pending ones, then ends. */
  close(): void;
  destroy(): void;
}

/** The open connections, and the unanswered requests of each. */
export class Connections {
  readonly #max: number;
  /** In the order of their last request, oldest first. */
  readonly #open = new Map<Socket, Connection>();
  #isEnding = false;

  /** One connection above `max` replaces the one that has been silent longest, of those that are not trusted if there are any. */
  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Socket): Connection {
    // The oldest connection is closed, not the new one: a probe needs a new connection, and a client that opens many
    // must not shut it out.
    if (this.#open.size >= this.#max) this.#dropOldest();
    const connection: Connection = { socket, session: undefined, isTrusted: false, pending: new Set() };
    this.#open.set(socket, connection);
    socket.once('close', () => this.drop(connection));
    return connection;
  }

  /** Replaces a TCP socket by the TLS socket on top of it. */
  secure(socket: Socket, secured: Socket): Connection {
    this.#open.delete(socket);
    return this.add(secured);
  }

  /** Returns the connection of a socket; undefined once it has ended. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Registers a request; `gone` is called when the client disconnects. The returned function ends the request. */
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

  /** Closes connections without pending requests at once, and the others when their requests are answered. */
  end(): void {
    this.#isEnding = true;
    for (const connection of this.#open.values()) {
      if (connection.session !== undefined) connection.session.close();
      else if (connection.pending.size === 0) this.drop(connection);
    }
  }

  #dropOldest(): void {
    const [oldest] = this.#open.values();
    const least = this.#open.values().find(({ isTrusted }) => !isTrusted) ?? oldest;
    if (least !== undefined) this.drop(least);
  }

  destroy(): void {
    for (const connection of this.#open.values()) this.drop(connection);
  }
}
