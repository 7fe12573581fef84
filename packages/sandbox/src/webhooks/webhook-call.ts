import type { JsonObject } from '../json.ts';

/** A call of a webhook: its `clientConfig`, and what is sent. */
export interface WebhookCall {
  readonly clientConfig: JsonObject;
  readonly timeoutSeconds: number;
  readonly body: JsonObject;
}

/** A call that has no answer; `client` means that it was not made, `call` that it has failed. */
export interface CallFailure {
  readonly type: 'failure';
  readonly stage: 'client' | 'call';
  readonly message: string;
}

/** What a call came to. */
export type Called = { readonly type: 'answer'; readonly body: JsonObject } | CallFailure;

/** A call that has failed. */
export function callFailure(message: string): CallFailure {
  return { type: 'failure', stage: 'call', message };
}
