import type { JsonObject } from './happened.ts';

export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  /** The bearer token that requests must carry. */
  readonly token: string;
  /** The text of a kubeconfig for this server. */
  kubeconfig(): string;
  /** Creates or changes an object by server-side apply. */
  apply(object: JsonObject): Promise<JsonObject>;
  /** Deletes an object if it exists. */
  delete(object: JsonObject): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Default 0, which takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** The time in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Whether requests without a token are served. */
  readonly anonymous?: boolean;
}

/** Starts a Kubernetes API server in memory on a loopback port. */
export declare function startSandbox(options?: SandboxOptions): Promise<Sandbox>;
