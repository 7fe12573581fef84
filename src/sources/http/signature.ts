import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request whose sender has signed its body. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** Slack's own limit: an older request may be one that somebody recorded. */
const MAX_AGE_S = 300;
const WRONG = 'the signature is wrong';

/** Why no body can have the signature in these headers; undefined when one could, so that it is worth reading. */
export function signatureProblem(
  type: 'github' | 'slack',
  { headers }: Pick<SignedRequest, 'headers'>,
  nowMs: number,
): string | undefined {
  if (type === 'github') {
    const signature = headers['x-hub-signature-256'];
    if (typeof signature !== 'string') return 'the header X-Hub-Signature-256 is missing';
    return /^sha256=[0-9a-f]{64}$/.test(signature) ? undefined : WRONG;
  }
  const [signature, sent] = [headers['x-slack-signature'], headers['x-slack-request-timestamp']];
  if (typeof signature !== 'string' || typeof sent !== 'string') {
    return 'the header X-Slack-Signature or X-Slack-Request-Timestamp is missing';
  }
  if (!/^v0=[0-9a-f]{64}$/.test(signature)) return WRONG;
  const isRecent = /^\d{1,12}$/.test(sent) && Math.abs(nowMs / 1000 - Number(sent)) <= MAX_AGE_S;
  return isRecent ? undefined : `the request was signed more than ${MAX_AGE_S} s ago, or the clocks differ by that`;
}

/** Why the signature of a request is not that of GitHub with this secret; undefined when it is. */
export function githubProblem({ headers, body }: SignedRequest, secret: Uint8Array): string | undefined {
  return isEqual(headers['x-hub-signature-256'], `sha256=${digest(secret, body)}`) ? undefined : WRONG;
}

/** Why the signature of a request is not that of Slack with this secret; undefined when it is, however old it is. */
export function slackProblem({ headers, body }: SignedRequest, secret: Uint8Array): string | undefined {
  const signed = Buffer.concat([Buffer.from(`v0:${String(headers['x-slack-request-timestamp'])}:`), body]);
  return isEqual(headers['x-slack-signature'], `v0=${digest(secret, signed)}`) ? undefined : WRONG;
}

function digest(secret: Uint8Array, text: Uint8Array): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Takes as long for a signature that is nearly right as for any other. */
function isEqual(given: unknown, wanted: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
