import { LineReader } from '../line-reader.ts';
import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import { JOB_CONTAINERS } from '../../hook/job-desk.ts';
import type { RemoteLine } from '../../hook/remote-run.ts';
import { within } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { LiveRun } from './live-run.ts';

/** Where the log of a run comes from. */
interface LogPlace {
  readonly namespace: string;
  readonly pod: string;
}

/** The log of the container with a foreign hook, whose sidecar cannot see it. */
export interface RunLog {
  /** Begins to follow the log when the hook has begun. */
  readonly look: () => void;
  /** Waits for the rest of the log for so long, and ends. */
  readonly end: (limitMs: number) => Promise<void>;
}

/** The log of a run, whose lines it gets; of one with hooklet in its image there is nothing to follow. */
export function logOf(run: LiveRun, client: Pick<KubeClient, 'chunks'>): RunLog {
  const ended = new AbortController();
  let following: Promise<void> | undefined;
  return {
    look: () => {
      const { pod, claim, facts, namespace } = run;
      if (facts.agent === 'image' || claim === undefined || following !== undefined) return;
      if (pod === undefined || pod.state.type === 'pending') return;
      following = followLog(client, { namespace, pod: pod.name }, (line) => run.print([line]), ended.signal);
    },
    end: async (limitMs) => {
      if (following === undefined) return;
      await within(following, { limitMs, late: () => {} });
      ended.abort();
      await following;
    },
  };
}

const RETRY_MS = 1000;
/** A hook may print nothing for long; then the log is opened again where it was. */
const IDLE_MS = 600_000;

/**
 * Follows the log of the container with the hook until it ends, or `signal` aborts; never rejects. The log does not say
 * which stream a line was printed to.
 */
async function followLog(
  client: Pick<KubeClient, 'chunks'>,
  place: LogPlace,
  onLine: (line: RemoteLine) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastAt = '';
  const onStamped = (stamped: string): void => {
    const space = stamped.indexOf(' ');
    const [at, line] = [stamped.slice(0, space), stamped.slice(space + 1)];
    // After a break the log begins again with whole seconds.
    if (space === -1 || at <= lastAt) return;
    lastAt = at;
    if (line !== '') onLine({ stream: 'stdout', line });
  };
  while (!signal.aborted) {
    // What a break has cut off comes again.
    const reader = new LineReader(onStamped);
    try {
      for await (const chunk of client.chunks(request(place, lastAt), { signal, idleTimeoutMs: IDLE_MS })) {
        reader.push(Buffer.from(chunk));
      }
      return reader.end();
    } catch {
      await sleep(RETRY_MS, signal);
    }
  }
}

function request({ namespace, pod }: LogPlace, lastAt: string) {
  const since = lastAt === '' ? {} : { sinceTime: lastAt };
  return {
    method: 'GET',
    path: apiPath('api', 'v1', 'namespaces', namespace, 'pods', pod, 'log'),
    query: { container: JOB_CONTAINERS.hook, follow: 'true', timestamps: 'true', ...since },
    accept: '*/*',
  } as const;
}
