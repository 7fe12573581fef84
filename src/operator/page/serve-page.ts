import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import type { Leadership } from '../operator-parts.ts';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import { isLocalHost } from '../../lib/local-host.ts';
import { printableLine } from '../../lib/printable.ts';
import { runAll } from '../../lib/run-all.ts';
import { shownText } from '../../lib/shown.ts';
import type { Environment } from '../../kube/environment.ts';
import type { Logger } from '../../log.ts';
import type { HttpServer } from '../../server/http-server.ts';
import type { PageUser } from '../../server/page/access.ts';
import type { PageDoor } from '../../server/page/gate.ts';
import type { PageModel } from '../../server/page/model.ts';
import { createPageServer } from '../../server/page/page-server.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { LeaderElectionSettings } from '../leadership.ts';
import { refusalOf } from '../leadership.ts';
import type { Operator } from '../operator.ts';
import type { RunHistoryPlace } from '../runs/open-history.ts';
import { ReviewedAccess } from './page-access.ts';
import { Environments } from './environments.ts';
import { Neighbors } from './neighbors.ts';
import { createPageModel, type PageModelParts } from './page-model.ts';

/** Where the page is served. */
export interface PageSettings {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Names by which it may be asked for, beside addresses and `localhost`. */
  readonly hosts: readonly string[];
  /** Whether everybody who reaches it may do everything; else people log in. */
  readonly isOpen: boolean;
}

export interface ServePageOptions {
  readonly page: PageSettings;
  readonly cluster: { readonly userAgent: string };
  readonly leaderElection?: LeaderElectionSettings | undefined;
  readonly env: Environment;
  /** Added to the environment of hooks. */
  readonly hookEnv?: Readonly<Record<string, string>> | undefined;
  readonly runHistory?: RunHistoryPlace | undefined;
  readonly log: Logger;
}

export interface ServePageParts extends Pick<PageModelParts, 'health' | 'metrics' | 'activity'> {
  readonly operator: Pick<Operator, 'schedules' | 'view' | 'givenUp' | 'debug' | 'hooks' | 'runs'>;
  readonly leadership: Pick<Leadership, 'status'> | undefined;
  readonly access: Pick<ClusterAccess, 'client' | 'cluster'>;
  readonly events: Pick<EventRecorder, 'record'>;
}

const MAX_MESSAGE = 900;

/** Opens the server of the page. */
export async function servePage(
  options: ServePageOptions,
  parts: ServePageParts,
  ends: AsyncDisposableStack,
): Promise<Pick<HttpServer, 'run'>> {
  const { page, env, log } = options;
  const { access, activity, operator } = parts;
  const namespace = ownNamespace(env, access.cluster.namespace);
  const model = modelOf(options, parts, namespace);
  const server = await createPageServer({
    address: page.address,
    port: page.port,
    model,
    door: doorOf(page, { client: access.client, namespace }),
    isHostAllowed: (host) => isLocalHost(host, [page.address, ...page.hosts]),
    onAction: (user, words) => {
      activity.changed();
      reportAction(user, words, { events: parts.events, log });
    },
    now: Date.now,
    log,
  });
  ends.defer(async () => server.close());
  log.info(
    { page: `http://localhost:${server.port}` },
    page.isOpen ? 'serving the page' : 'serving the page, which asks for a token',
  );
  return {
    run: async (signal) =>
      runAll(
        [async (stop) => server.run(stop), async (stop) => activity.run(() => operator.runs.queued, stop)],
        signal,
      ),
  };
}

function modelOf(options: ServePageOptions, parts: ServePageParts, namespace: string): PageModel {
  const { env, cluster, leaderElection } = options;
  const { operator, leadership, access } = parts;
  const { view, schedules, givenUp, hooks: loaded } = operator;
  const { POD_NAME: pod = '' } = env;
  const neighbors = new Neighbors({
    client: access.client,
    namespace,
    pod: pod === '' ? undefined : pod,
    lease: leaderElection?.leaseName,
    now: Date.now,
  });
  return createPageModel({
    ...parts,
    view,
    schedules,
    loaded,
    controls: givenUp.controls,
    neighbors,
    environments: new Environments({ ...options, folder: options.runHistory?.path, now: Date.now }),
    refusal: () => refusalOf(leadership?.status),
    userAgent: cluster.userAgent,
    env,
    ...(leaderElection !== undefined && { lease: `${namespace}/${leaderElection.leaseName}` }),
  });
}

function doorOf(
  { isOpen }: PageSettings,
  { client, namespace }: Pick<ClusterAccess, 'client'> & { readonly namespace: string },
): PageDoor {
  if (isOpen) return { type: 'open', user: { name: 'local developer', groups: [] } };
  return { type: 'tokens', access: new ReviewedAccess({ client, namespace, now: Date.now }) };
}

function reportAction(
  { name, groups }: PageUser,
  words: string,
  { events, log }: { readonly events: Pick<EventRecorder, 'record'>; readonly log: Logger },
): void {
  const message = shownText(printableLine(`${name}: ${words}`), MAX_MESSAGE);
  log.info({ user: name, groups: groups.slice(0, 20), action: words }, 'action on the page');
  events.record({ type: 'Normal', reason: 'WebAction', message });
}
