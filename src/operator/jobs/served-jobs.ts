import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import { jobRuleOf } from '../../hook/executor-rule.ts';
import type { Hook } from '../../hook/binding.ts';
import { ownNamespace, ownPod } from '../../kube/coordination/own-pod.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { JobExecutor } from '../../runner/job/job-executor.ts';
import type { Certificates } from '../../server/certificates/certificates.ts';
import { openCertificates } from '../../server/certificates/open-certificates.ts';
import { openJobServer } from '../../server/jobs/job-server.ts';
import { CertifiedListener } from '../certified-listener.ts';
import { refusalOf } from '../leadership.ts';
import type { AskedHooks } from '../webhooks/asked-hooks.ts';
import { applyAdopted } from './adopted-runs.ts';
import { GivenBundles } from './given-bundles.ts';
import type { JobsOptions } from './open-jobs.ts';
import { NOWHERE, untilKnown, type OwnContainer } from './own-container.ts';
import { PodTokens } from './pod-tokens.ts';

const FLAGS = { address: '--jobs-listen-address', port: '--jobs-listen-port' };

/** What is open for runs that are Jobs: the server, its certificate, and what executes them. */
export class ServedJobs {
  readonly executor: JobExecutor;
  readonly #certificates: Certificates;
  readonly #listener: CertifiedListener;
  readonly #image: string;

  private constructor(options: JobsOptions, asked: AskedHooks, own: OwnContainer) {
    const { settings, access, metrics, events, log, env, leadership } = options;
    const namespace = ownNamespace(env, access.cluster.namespace);
    const given = new GivenBundles();
    const leaving = leadership === undefined ? options.signal : AbortSignal.any([options.signal, leadership.lost]);
    const place = placeOf(options, namespace, own);
    this.#image = place.image;
    this.#certificates = certificatesOf(options, namespace, given);
    const tokens = new PodTokens({ client: access.client, elapsed: () => performance.now() });
    this.executor = new JobExecutor({
      ...place,
      client: access.client,
      watches: access.watches,
      namespaces: () => asked.hooks().flatMap((hook) => jobRuleOf(hook)?.namespace ?? []),
      authority: () => given.give(this.#certificates),
      plainExitCodes: options.plainExitCodes ?? false,
      backgroundLimitMs: options.backgroundLimitMs,
      isLeaving: () => leaving.aborted,
      adopt: async (run, execution) => {
        // This process may have stood still.
        leadership?.check();
        return applyAdopted(run, execution, options, leaving);
      },
      seal: (text) => sealed(this.#certificates, text),
      events: (event) => events.record(event),
      maxStartsPerSecond: settings.maxPerSecond,
      maxAtOnce: settings.maxAtOnce,
      metrics,
      log,
    });
    const { listenAddress: address, listenPort: port } = settings;
    this.#listener = new CertifiedListener({
      name: 'runs that are Jobs',
      openServer: async ({ certificate }) =>
        openJobServer({
          address,
          port,
          flags: FLAGS,
          certificate,
          desk: this.executor.desk,
          identify: async (token) => tokens.identify(token),
          refusal: () => refusalOf(leadership?.status),
          log,
        }),
      certificates: this.#certificates,
      clientCa: [],
      drainMs: 0,
      onOpen: () => {},
      log,
    });
  }

  /** Opens all; undefined when `signal` aborts first. */
  static async open(options: JobsOptions, asked: AskedHooks, signal: AbortSignal): Promise<ServedJobs | undefined> {
    const { access, env, settings, log } = options;
    const pod = ownPod(env, access.cluster.namespace);
    const how = { client: access.client, isImageNeeded: settings.image === '', log };
    const own = pod === undefined ? NOWHERE : await untilKnown(pod, how, signal);
    return own && new ServedJobs(options, asked, own);
  }

  /** Why no Job can be run; undefined when they can. */
  get problem(): string | undefined {
    return this.#certificates.problem ?? this.#listener.problem ?? this.executor.problem;
  }

  /** Why no Job can be made for a hook; undefined when it can. */
  problemOf(hook: Hook): string | undefined {
    const executor = jobRuleOf(hook);
    const isOurs = executor?.image === undefined || executor.agent === 'sidecar';
    if (!isOurs || this.#image !== '') return undefined;
    return 'the image of its Job is not known: set --jobs-image, or POD_NAME to the name of the Pod of hooklet';
  }

  /** Resolves when there is a certificate, or `signal` aborts. */
  async certified(signal: AbortSignal): Promise<void> {
    // From before the first look, so that no change is missed.
    const changes = this.#certificates.changes(signal);
    if (this.#certificates.serving !== undefined) return;
    for await (const _ of changes) if (this.#certificates.serving !== undefined) return;
  }

  /** Serves until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await runAll([async (stop) => this.#certificates.run(stop), async (stop) => this.#listener.run(stop)], signal);
  }
}

/** All replicas have the same key; grants with that of before are believed no more. */
function sealed({ serving }: Pick<Certificates, 'serving'>, text: string): string | undefined {
  return serving && createHmac('sha256', serving.key).update(text).digest('base64url');
}

function certificatesOf(options: JobsOptions, namespace: string, given: GivenBundles): Certificates {
  const { settings, access, metrics, events, log } = options;
  const { serviceName: name, urls, authorityMs, leafMs } = settings;
  const changes = new Changes();
  const certificates: Certificates = openCertificates({
    source: { type: 'selfMade', namespace, name: `${name}-certs`, authorityMs, leafMs },
    client: access.client,
    watches: access.watches,
    registered: given.registered(
      () => certificates.caBundle,
      (signal) => changes.follow(signal),
    ),
    names: {
      services: urls.length > 0 ? [] : [{ namespace, name }],
      hosts: urls.map((url) => new URL(url).hostname),
    },
    metrics,
    events,
    log,
  });
  return certificates;
}

function placeOf({ settings, env, hooksDir }: JobsOptions, namespace: string, { image, owner }: OwnContainer) {
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
