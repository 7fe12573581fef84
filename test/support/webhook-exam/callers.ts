import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

/** Where the callers send their requests, and what. */
export interface CallersOptions {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly body: (index: number) => string;
  readonly atOnce: number;
}

/** Clients of an API server that send requests until they are told to end. */
export interface Callers {
  readonly asked: number;
  /** What went wrong, each kind once. */
  readonly failures: ReadonlySet<string>;
  /** The warnings of the answers, and how often each came. */
  readonly warnings: ReadonlyMap<string, number>;
  /** Waits for the answers to all requests, and sends none until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  end(): Promise<void>;
}

const BREATH_MS = 2;

/** Starts the callers. */
export function startCallers({ url, ca, token, body, atOnce }: CallersOptions): Callers {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, ca });
  const failures = new Set<string>();
  const warnings = new Map<string, number>();
  let [asked, pending, isPaused, isOver] = [0, 0, false, false];
  const ask = async (content: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sending = request(url, { agent, headers, method: 'POST', timeout: 60_000 }, (response) => {
      const { statusCode, headers: heard } = response;
      const warning = String(heard['warning']);
      warnings.set(warning, (warnings.get(warning) ?? 0) + 1);
      text(response).then(
        (said) => (statusCode === 201 ? resolve() : reject(new Error(`${statusCode} ${said}`))),
        reject,
      );
    });
    sending.on('timeout', () => sending.destroy(new Error('no answer in time')));
    sending.on('error', reject);
    sending.end(content);
    return promise;
  };
  const calling = Array.from({ length: atOnce }, async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
      if (isPaused) continue;
      pending += 1;
      const content = body(asked++);
      await ask(content)
        .catch((error: unknown) => failures.add(String(error)))
        .finally(() => (pending -= 1));
    }
  });
  return {
    get asked() {
      return asked;
    },
    failures,
    warnings,
    async pause() {
      isPaused = true;
      while (pending > 0) await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
    },
    resume: () => (isPaused = false),
    async end() {
      isOver = true;
      await Promise.all(calling);
      agent.destroy();
    },
  };
}
