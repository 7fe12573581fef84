import { markFile } from './configuration.ts';
import type { Configuration } from './packing.ts';
import type { LoadedPod, PodSummary } from './resources.ts';
import { ask } from './web.ts';

/** What a Pod runs with. */
export type PodState =
  | { readonly pod: PodSummary; readonly state: 'loaded' }
  /** It does not answer yet, or its volume has not got the files yet. */
  | { readonly pod: PodSummary; readonly state: 'waiting'; readonly message: string }
  /** It goes on with what it had. */
  | { readonly pod: PodSummary; readonly state: 'refused'; readonly message: string };

/**
 * Has every Pod load the configuration, and believes none of them: a Pod has loaded it when it shows the mark of the
 * configuration, its metric says that the last reload succeeded, and the rules that it evaluates are from all files.
 */
export async function loadInto(
  pods: readonly PodSummary[],
  configuration: Configuration,
  { known, signal }: { readonly known: readonly LoadedPod[]; readonly signal: AbortSignal },
): Promise<readonly PodState[]> {
  return Promise.all(
    pods.map(async (pod): Promise<PodState> => {
      const isKnown = known.some(
        ({ uid, restarts, config }) => uid === pod.uid && restarts === pod.restarts && config === configuration.hash,
      );
      if (isKnown && pod.running) return { pod, state: 'loaded' };
      if (!pod.running || pod.ip === '') return { pod, state: 'waiting', message: 'it does not run yet' };
      return loadIntoPod(pod, configuration, signal);
    }),
  );
}

async function loadIntoPod(pod: PodSummary, configuration: Configuration, signal: AbortSignal): Promise<PodState> {
  if ((await missing(pod, configuration, signal)) === undefined) return { pod, state: 'loaded' };
  const { code, body } = await ask('POST', pod.ip, '/-/reload', signal);
  if (code === 0 || code === 503)
    return { pod, state: 'waiting', message: `it does not answer: ${body.slice(0, 200)}` };
  if (code !== 200) return { pod, state: 'refused', message: body.trim().slice(0, 400) };
  const message = await missing(pod, configuration, signal);
  return message === undefined ? { pod, state: 'loaded' } : { pod, state: 'waiting', message };
}

/** Whether a configuration has the mark among its rule files, where no monitor can put it. */
function shows(body: string, hash: string): boolean {
  // Whatever a monitor says is deeper than the first column.
  const [, files = ''] = /^rule_files:\n((?: *- .+\n)+)/m.exec(yamlOf(body)) ?? [];
  return files.split('\n').some((line) => line.endsWith(`/${markFile(hash)}*`));
}

function yamlOf(body: string): string {
  try {
    return String(Object(Object(JSON.parse(body)).data).yaml);
  } catch {
    return '';
  }
}

/** What a Pod lacks of a configuration; undefined: nothing. */
async function missing(
  pod: PodSummary,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const config = await ask('GET', pod.ip, '/api/v1/status/config', signal);
  if (config.code !== 200) return `it does not show its configuration: ${config.body.slice(0, 200)}`;
  if (!shows(config.body, configuration.hash)) return 'its volume has an older configuration';
  const metrics = await ask('GET', pod.ip, '/metrics', signal);
  if (metrics.code !== 200) return `it does not show its metrics: ${metrics.body.slice(0, 200)}`;
  if (!/^prometheus_config_last_reload_successful 1$/m.test(metrics.body)) return 'its last reload failed';
  const loaded = new Set(
    [...metrics.body.matchAll(/^prometheus_rule_group_rules\{rule_group="[^";]*\/([^"/;]+);/gm)].map(
      ([, name]) => name,
    ),
  );
  const wanted = configuration.ruleFiles;
  const lacking = wanted.filter((name) => !loaded.has(name)).length;
  const wrong = loaded.size - (wanted.length - lacking);
  if (lacking > 0 || wrong > 0) return `its volume lacks ${lacking} rule file(s), and has ${wrong} old one(s)`;
  return undefined;
}
