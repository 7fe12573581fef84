import { markFile } from './configuration.ts';
import type { Configuration } from './packing.ts';
import type { LoadedPod, PodSummary } from './resources.ts';
import { answered, notNow, pause, tookLong } from './patience.ts';
import { turns } from './turns.ts';
import { ask } from './web.ts';

/** What a Pod runs with. */
export type PodState =
  | { readonly pod: PodSummary; readonly state: 'loaded' }
  /** It does not answer yet, or its volume has not got the files yet; `seconds`: when it is asked again at the earliest. */
  | {
      readonly pod: PodSummary;
      readonly state: 'waiting';
      readonly message: string;
      readonly isSilent?: boolean;
      readonly seconds?: number;
    }
  /** It goes on with what it had. */
  | { readonly pod: PodSummary; readonly state: 'refused'; readonly message: string };

/** Each holds an answer of some MiB. */
const inTurn = turns(2);
/** For all that a Pod is asked in one turn. */
const POD_MS = 15_000;
const SLOW_MS = 8_000;
const MAX_SLOW = 2;

interface Look {
  readonly known: readonly LoadedPod[];
  /** The uid of the Prometheus. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

/**
 * Has every Pod load the configuration, two at a time of all Prometheuses, and believes none of them: a Pod has loaded it
 * when it shows the mark of the configuration, its metric says that the last reload succeeded, and the rules that it
 * evaluates are from all files. One that gives no answer is asked less and less often.
 */
export async function loadInto(
  pods: readonly PodSummary[],
  configuration: Configuration,
  { known, owner, signal }: Look,
): Promise<readonly PodState[]> {
  let slow = 0;
  return Promise.all(
    pods.map(async (pod): Promise<PodState> => {
      const isKnown = known.some(
        ({ uid, restarts, config }) => uid === pod.uid && restarts === pod.restarts && config === configuration.hash,
      );
      if (isKnown && pod.running) return { pod, state: 'loaded' };
      if (!pod.running || pod.ip === '') return { pod, state: 'waiting', message: 'it does not run yet' };
      return inTurn(signal, async () => {
        const begin = performance.now();
        const reason = notNow(owner, pod.uid);
        if (reason !== undefined) return { pod, state: 'waiting', ...reason };
        const state = await loadIntoPod(pod, configuration, AbortSignal.any([signal, AbortSignal.timeout(POD_MS)]));
        if (state.state !== 'waiting' || performance.now() - begin < SLOW_MS) {
          answered(pod.uid);
          return state;
        }
        const { message, isSilent = false } = state;
        tookLong(pod.uid, message, isSilent);
        slow += 1;
        if (slow === MAX_SLOW) pause(owner, isSilent);
        return { ...state, ...notNow(owner, pod.uid) };
      });
    }),
  );
}

async function loadIntoPod(pod: PodSummary, configuration: Configuration, signal: AbortSignal): Promise<PodState> {
  const before = await missing(pod, configuration, signal);
  if (before === undefined) return { pod, state: 'loaded' };
  if (before.isSilent) return { pod, state: 'waiting', ...before };
  const { code, body } = await ask({ method: 'POST', address: pod.ip, path: '/-/reload' }, signal);
  if (code === 0 || code === 503)
    return { pod, state: 'waiting', message: `it does not answer: ${body.slice(0, 200)}`, isSilent: code === 0 };
  if (code !== 200) return { pod, state: 'refused', message: body.trim().slice(0, 400) };
  const after = await missing(pod, configuration, signal);
  return after === undefined ? { pod, state: 'loaded' } : { pod, state: 'waiting', ...after };
}

/** Whether a configuration has the mark among its rule files, where no monitor can put it. */
function shows(body: string, hash: string): boolean {
  // Whatever a monitor says is deeper than the first column.
  const [, files = ''] = /^rule_files:\n((?: *- .+\n)+)/m.exec(yamlOf(body)) ?? [];
  return files.split('\n').some((line) => line.endsWith(`/${markFile(hash)}*`));
}

/** The beginning of the configuration in an answer, which may be cut anywhere. */
function yamlOf(body: string): string {
  const begin = /"yaml": ?"/.exec(body);
  if (begin === null) return '';
  const first = begin.index + begin[0].length;
  let end = first;
  while (end < body.length && body[end] !== '"') {
    const length = body[end] !== '\\' ? 1 : body[end + 1] === 'u' ? 6 : 2;
    if (end + length > body.length) break;
    end += length;
  }
  try {
    return String(JSON.parse(`"${body.slice(first, end)}"`));
  } catch {
    return '';
  }
}

interface Missing {
  readonly message: string;
  /** Whether nothing was answered at all. */
  readonly isSilent?: boolean;
}

const LINES =
  /^(?:prometheus_config_last_reload_successful 1$|prometheus_rule_group_rules\{rule_group="[^";]*\/[^"/;]+;)/;

/** What a Pod lacks of a configuration; undefined: nothing. */
async function missing(
  pod: PodSummary,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<Missing | undefined> {
  const get = { method: 'GET', address: pod.ip } as const;
  const config = await ask({ ...get, path: '/api/v1/status/config' }, signal);
  const isSilent = config.code === 0;
  if (config.code !== 200)
    return { message: `it does not show its configuration: ${config.body.slice(0, 200)}`, isSilent };
  if (!shows(config.body, configuration.hash)) return { message: 'its volume has an older configuration' };
  const metrics = await ask({ ...get, path: '/metrics', lines: LINES }, signal);
  if (metrics.code !== 200) return { message: `it does not show its metrics: ${metrics.body.slice(0, 200)}` };
  if (!/^prometheus_config_last_reload_successful 1$/m.test(metrics.body)) return { message: 'its last reload failed' };
  const loaded = new Set([...metrics.body.matchAll(/\/([^"/;]+);$/gm)].map(([, name]) => name));
  const wanted = configuration.ruleFiles;
  const lacking = wanted.filter((name) => !loaded.has(name)).length;
  const wrong = loaded.size - (wanted.length - lacking);
  if (lacking > 0 || wrong > 0) {
    return { message: `its volume lacks ${lacking} rule file(s), and has ${wrong} old one(s)` };
  }
  return undefined;
}
