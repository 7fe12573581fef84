import type { JsonObject } from './json.ts';

/** A request before it is answered. */
export interface TappedRequest {
  /** Who asks, as `callerOf` named it; empty for the token of the sandbox and for none. */
  readonly caller: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly isWatch: boolean;
}

/** What is to become of a request. */
export interface Tapped {
  /** It is refused with this code. */
  readonly refuse?: number;
  /** It is carried out, and the connection is lost before the answer. */
  readonly isAnswerLost?: boolean;
  /** Lists are served as of this resourceVersion, and watches as of now. */
  readonly staleAt?: string;
  /** Called with the code of the answer; with 0 where none was sent. */
  readonly answered?: (code: number) => void;
}

/** An event of a watch before it is sent, after the initial ones. */
export interface TappedEvent {
  readonly caller: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
  /** Sends it; may be called later, several times, or never. */
  send(): void;
}

/** What stands between the sandbox and those who ask it. */
export interface Taps {
  /** Called for each request that is let in; returns what is to become of it, if it is anything else. */
  readonly onRequest?: ((request: TappedRequest) => Tapped | undefined) | undefined;
  /** Called for each event of a watch, and sends it. */
  readonly onEvent?: ((event: TappedEvent) => void) | undefined;
}
