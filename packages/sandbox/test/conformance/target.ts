import { randomBytes } from 'node:crypto';
import type { Answer, Client, Endpoint, WatchEvent } from './client.ts';

/** An API server under test, and what its maker can do to it. */
export interface Target extends Endpoint {
  /** Forgets all history: continue tokens and positions from before have expired. */
  compact(): Promise<void>;
}

/** What every group of laws works with: a client, and a namespace of its own for each law. */
export interface Bench {
  readonly client: Client;
  readonly target: Target;
  /** Creates a namespace, and hands back its name. */
  readonly namespace: () => Promise<string>;
}

/** A name that nothing has yet. */
export function freshName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** The path of the config maps of a namespace. */
export function configMaps(namespace: string, name?: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps${name === undefined ? '' : `/${name}`}`;
}

/** A config map. */
export function configMap(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...fields };
}

/** The refusal in an answer, as far as laws speak of it. */
export function refusalOf({ status, body }: Answer): Readonly<Record<string, unknown>> {
  const { kind, apiVersion, status: outcome, reason, message, code } = body;
  return { status, kind, apiVersion, outcome, reason, message, code };
}

/** The refusal that a law expects. */
export function refusal(code: number, reason: string | undefined, message: unknown): Readonly<Record<string, unknown>> {
  return { status: code, kind: 'Status', apiVersion: 'v1', outcome: 'Failure', reason, message, code };
}

const POLL_MS = 25;
/** A garbage collector that meets a deleted kind stands still for up to a minute. */
const TIMEOUT_MS = 100_000;

/** Asks again and again until the answer passes; fails with the last answer. */
export async function eventually(ask: () => Promise<Answer>, passes: (answer: Answer) => boolean): Promise<Answer> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (passes(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`not within ${TIMEOUT_MS} ms; last answer: ${answer.status} ${answer.text}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The events of a watch up to the first that passes. */
export async function eventsUntil(
  events: AsyncIterable<WatchEvent>,
  passes: (event: WatchEvent) => boolean,
): Promise<readonly WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (passes(event)) return seen;
  }
  throw new Error(`the watch ended after ${seen.length} events: ${JSON.stringify(seen.at(-1))}`);
}

/** A signal for one watch: it ends the watch of a law that waits in vain. */
export function watchLimit(): AbortSignal {
  return AbortSignal.timeout(TIMEOUT_MS);
}
