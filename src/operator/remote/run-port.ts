import { createHmac } from 'node:crypto';
import type { JobDesk } from '../../hook/job-desk.ts';
import type { DeskCaller } from '../../hook/remote-run.ts';
import type { WorkDesk } from '../../hook/work-desk.ts';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Certificates } from '../../server/certificates/certificates.ts';
import { openCertificates } from '../../server/certificates/open-certificates.ts';
import { openJobServer } from '../../server/jobs/job-server.ts';
import { CertifiedListener } from '../certified-listener.ts';
import { refusalNow } from '../leadership.ts';
import { GivenBundles } from './given-bundles.ts';
import { lateJobDesk, lateWorkDesk } from './late-desks.ts';
import type { RemoteOptions } from './open-remote.ts';
import { PodTokens } from './pod-tokens.ts';
import type { WorkersAccount } from './settings.ts';

const FLAGS = { address: '--jobs-listen-address', port: '--jobs-listen-port' };

/** Who answers at the port; absent as long as no hook wants it. */
export interface Desks {
  readonly job: () => JobDesk | undefined;
  readonly work: () => WorkDesk | undefined;
}

/** The port where Pods of Jobs and workers ask: the server and its certificate. */
export class RunPort {
  readonly #given = new GivenBundles();
  readonly #certificates: Certificates;
  readonly #listener: CertifiedListener;

  constructor(options: RemoteOptions, desks: Desks) {
    const { settings, access, env, leadership, log } = options;
    const { listenAddress: address, listenPort: port, workers } = settings;
    const namespace = ownNamespace(env, access.cluster.namespace);
    this.#certificates = certificatesOf(options, namespace, this.#given);
    const isWorker = isOneOf(workers.accounts, namespace);
    const tokens = new PodTokens({ client: access.client, elapsed: () => performance.now() });
    this.#listener = new CertifiedListener({
      name: 'runs in other Pods',
      openServer: async ({ certificate }) =>
        openJobServer({
          address,
          port,
          flags: FLAGS,
          certificate,
          desk: lateJobDesk(desks.job),
          work: { desk: lateWorkDesk(desks.work), mayWork: (caller) => this.#knows(isWorker(caller)) },
          identify: async (token) => tokens.identify(token),
          refusal: () => refusalNow(leadership),
          log,
        }),
      certificates: this.#certificates,
      clientCa: [],
      drainMs: 0,
      onOpen: () => {},
      log,
    });
  }

  /** Why nobody is answered; undefined while it answers. */
  get problem(): string | undefined {
    return this.#certificates.problem ?? this.#listener.problem;
  }

  /** The port that it listens on; undefined until then. */
  get number(): number | undefined {
    return this.#listener.port;
  }

  /** PEM of what signs the certificates, as a Pod is given it now; undefined: it is not known yet. */
  authority(): string | undefined {
    return this.#given.give(this.#certificates);
  }

  /** All replicas have the same key; what was sealed with that of before is believed no more. */
  seal(text: string): string | undefined {
    const { serving } = this.#certificates;
    return serving && createHmac('sha256', serving.key).update(text).digest('base64url');
  }

  /** A worker has in a file what signs the certificates, which comes to it late. */
  #knows(isWorker: boolean): boolean {
    if (isWorker) this.#given.give(this.#certificates);
    return isWorker;
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

function isOneOf(accounts: readonly WorkersAccount[], ownNamespace: string): (caller: DeskCaller) => boolean {
  const known = new Set(accounts.map(({ namespace = ownNamespace, name }) => `${namespace}/${name}`));
  return ({ namespace, account }) => known.has(`${namespace}/${account}`);
}

function certificatesOf(options: RemoteOptions, namespace: string, given: GivenBundles): Certificates {
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
