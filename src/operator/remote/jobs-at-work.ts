import { resolve } from 'node:path';
import type { Hook } from '../../hook/binding.ts';
import { jobRuleOf } from '../../hook/executor-rule.ts';
import { ownNamespace, ownPod } from '../../kube/coordination/own-pod.ts';
import { shortHash } from '../../lib/short-hash.ts';
import type { Execution, ExecuteRequest } from '../../runner/executor.ts';
import { notRun } from '../../runner/remote-result.ts';
import { JobExecutor } from '../../runner/job/job-executor.ts';
import type { AskedHooks } from '../webhooks/asked-hooks.ts';
import { applyAdopted } from './adopted-runs.ts';
import type { RemoteOptions } from './open-remote.ts';
import { NOWHERE, untilKnown, type OwnContainer } from './own-container.ts';
import type { RunPort } from './run-port.ts';

/** What this replica executes as Jobs. */
export class JobsAtWork {
  readonly #executor: JobExecutor;
  readonly #port: RunPort;
  readonly #image: string;

  private constructor(options: RemoteOptions, { asked, port }: Surroundings, own: OwnContainer) {
    const { settings, access, metrics, events, log, env, leadership } = options;
    const namespace = ownNamespace(env, access.cluster.namespace);
    const leaving = leadership === undefined ? options.signal : AbortSignal.any([options.signal, leadership.lost]);
    const place = placeOf(options, namespace, own);
    this.#port = port;
    this.#image = place.image;
    this.#executor = new JobExecutor({
      ...place,
      client: access.client,
      watches: access.watches,
      namespaces: () => asked.hooks().flatMap((hook) => jobRuleOf(hook)?.namespace ?? []),
      authority: () => port.authority(),
      plainExitCodes: options.plainExitCodes ?? false,
      backgroundLimitMs: options.backgroundLimitMs,
      isLeaving: () => leaving.aborted,
      adopt: async (run, execution) => {
        // This process may have stood still.
        leadership?.check();
        return applyAdopted(run, execution, options, leaving);
      },
      seal: (text) => port.seal(text),
      events: (event) => events.record(event),
      maxStartsPerSecond: settings.maxPerSecond,
      maxAtOnce: settings.maxAtOnce,
      metrics,
      log,
    });
  }

  /** Opens it when it is known what this process runs in; undefined when `signal` aborts first. */
  static async open(
    options: RemoteOptions,
    surroundings: Surroundings,
    signal: AbortSignal,
  ): Promise<JobsAtWork | undefined> {
    const { access, env, settings, log } = options;
    const pod = ownPod(env, access.cluster.namespace);
    const how = { client: access.client, isImageNeeded: settings.image === '', log };
    const own = pod === undefined ? NOWHERE : await untilKnown(pod, how, signal);
    return own && new JobsAtWork(options, surroundings, own);
  }

  get desk(): JobExecutor['desk'] {
    return this.#executor.desk;
  }

  /** Why no Job can be run; undefined when they can. */
  get problem(): string | undefined {
    return this.#executor.problem;
  }

  /** Executes a run as a Job; never rejects. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    const problem = this.#problemOf(request.hook);
    return problem === undefined ? this.#executor.execute(request, signal) : notRun(request.hook.name, problem);
  }

  /** The outcome of a run was recorded: its Pod may end. */
  concluded(runId: string): void {
    this.#executor.concluded(runId);
  }

  /** Leads until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#port.certified(signal);
    if (!signal.aborted) await this.#executor.run(signal);
  }

  /** Why no Job can be made for a hook; undefined when it can. */
  #problemOf(hook: Hook): string | undefined {
    const rule = jobRuleOf(hook);
    const isOurs = rule?.image === undefined || rule.agent === 'sidecar';
    if (!isOurs || this.#image !== '') return undefined;
    return 'the image of its Job is not known: set --jobs-image, or POD_NAME to the name of the Pod of hooklet';
  }
}

/** What it works with, which was opened before. */
export interface Surroundings {
  readonly asked: AskedHooks;
  readonly port: RunPort;
}

function placeOf({ settings, env, hooksDir }: RemoteOptions, namespace: string, { image, owner }: OwnContainer) {
  const { serviceName, listenPort, urls } = settings;
  const { POD_NAMESPACE: podNamespace = '' } = env;
  return {
    namespace,
    installation: shortHash(namespace, serviceName),
    image: settings.image === '' ? (image ?? '') : settings.image,
    urls: urls.length > 0 ? urls : [`https://${serviceName}.${namespace}.svc:${listenPort}`],
    env: { HOOKLET_HOOKS_DIR: resolve(hooksDir), ...(podNamespace !== '' && { POD_NAMESPACE: podNamespace }) },
    owner: owner && { ...owner, namespace },
  };
}
