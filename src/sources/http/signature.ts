import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request whose sender has signed its body. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Slack's own limit: an older request may be one that somebody recorded. */
const MAX_AGE_S = 300;

/** Why the signature of a request is not that of GitHub with this secret; undefined when it is. */
export function githubProblem({ headers, body }: SignedRequest, secret: Uint8Array): string | undefined {
  const signature = headers['x-hub-signature-256'];
  if (typeof signature !== 'string') return 'the header X-Hub-Signature-256 is missing';
  return isEqual(signature, `sha256=${digest(secret, body)}`) ? undefined : 'the signature is wrong';
}

/** Why the signature of a request is not that of Slack with this secret; undefined when it is. */
export function slackProblem({ headers, body }: SignedRequest, secret: Uint8Array, nowMs: number): string | undefined {
  const signature = headers['x-slack-signature'];
  const sent = headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || typeof sent !== 'string') {
    return 'the header X-Slack-Signature or X-Slack-Request-Timestamp is missing';
  }
  const signed = Buffer.concat([Buffer.from(`v0:${sent}:`), body]);
  if (!isEqual(signature, `v0=${digest(secret, signed)}`)) return 'the signature is wrong';
  const isRecent = /^\d{1,12}$/.test(sent) && Math.abs(nowMs / 1000 - Number(sent)) <= MAX_AGE_S;
  return isRecent ? undefined : `the request was signed more than ${MAX_AGE_S} s ago, or the clocks differ by that`;
}

function digest(secret: Uint8Array, text: Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Takes as long for a signature that is nearly right as for any other. */
function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
