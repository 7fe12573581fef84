// Runs Prometheus servers: a configuration from monitors and rules that promtool has checked as a whole, loaded for sure.
import { reconcile, type ReconcileAnswer, type ReconcileRun } from 'hooklet';
import { fitted } from './lib/fitting.ts';
import { judged } from './lib/judge-cache.ts';
import { selectedItems } from './lib/items.ts';
import { joined, ownNews } from './lib/own-news.ts';
import { accepted, loaded, statusOf, stored } from './lib/own-status.ts';
import { loadInto } from './lib/reload.ts';
import { nextLook } from './lib/next-look.ts';
import { NoAnswer } from './lib/promtool.ts';
import { specProblems } from './lib/spec-problems.ts';
import { storageStep, type StorageStep } from './lib/storage.ts';
import { tellSources } from './lib/verdicts.ts';
import { childrenOf, isNumbered, shapeOf, workloadName } from './lib/workload.ts';
import {
  API_VERSION,
  OWNER_LABEL,
  type ClaimSummary,
  type MonitorSpec,
  type NamespaceSummary,
  type PodSummary,
  type Prometheus,
  type RuleSpec,
  type Source,
} from './lib/resources.ts';

interface Watched {
  serviceMonitors: Source<MonitorSpec>;
  podMonitors: Source<MonitorSpec>;
  rules: Source<RuleSpec>;
  namespaces: NamespaceSummary;
  pods: PodSummary;
  claims: ClaimSummary;
}

type Run = ReconcileRun<Prometheus, Watched>;

const SOURCE = `{
  metadata: (.metadata | {name, namespace, uid, generation, labels}),
  spec,
  bindings: .status.bindings
}`;
const ofOwner = {
  for: `.metadata.labels["${OWNER_LABEL}"]`,
  labelSelector: { matchExpressions: [{ key: OWNER_LABEL, operator: 'Exists' }] },
};

export default reconcile<Prometheus, Watched>(
  {
    name: 'prometheus',
    apiVersion: API_VERSION,
    kind: 'Prometheus',
    finalize: true,
    concurrency: 2,
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet' },
    ],
    watches: [
      { name: 'serviceMonitors', apiVersion: API_VERSION, kind: 'ServiceMonitor', for: '"*"', jqFilter: SOURCE },
      { name: 'podMonitors', apiVersion: API_VERSION, kind: 'PodMonitor', for: '"*"', jqFilter: SOURCE },
      { name: 'rules', apiVersion: API_VERSION, kind: 'PrometheusRule', for: '"*"', jqFilter: SOURCE },
      { name: 'namespaces', apiVersion: 'v1', kind: 'Namespace', for: '"*"', jqFilter: '.metadata | {name, labels}' },
      {
        name: 'pods',
        apiVersion: 'v1',
        kind: 'Pod',
        ...ofOwner,
        jqFilter: `{
          name: .metadata.name,
          uid: .metadata.uid,
          ip: (.status.podIP // ""),
          restarts: ([.status.containerStatuses[]?.restartCount] | add // 0),
          running: (.metadata.deletionTimestamp == null and any(.status.containerStatuses[]?; .state.running != null))
        }`,
      },
      {
        name: 'claims',
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        ...ofOwner,
        jqFilter: '{name: .metadata.name, request: (.spec.resources.requests.storage // "0")}',
      },
    ],
    settings: { timeout: '10m' },
  },
  async (run) => (run.finalizing ? leave(run) : keep(run)),
);

/** Nothing is left of a Prometheus that is deleted in the status of others, where that can be written. */
function leave({ object, watched, patch, attempt }: Run): ReconcileAnswer {
  tellSources(object, { items: [], leftOut: [], sources: watched, patch, attempt, isLeaving: true });
  return { finalized: true };
}

async function keep(run: Run): Promise<ReconcileAnswer> {
  const { object, watched, patch, attempt, signal } = run;
  const problems = specProblems(object);
  // Nothing is changed until somebody corrects the spec: servers that run keep their configuration.
  if (problems.length > 0) return { refused: { reason: 'SpecRefused', message: joined(problems) } };
  const items = selectedItems(object, watched);
  const found = await fitted(object, items, async (some) => judged(object, some, signal)).catch((error: unknown) =>
    noAnswer(error, signal),
  );
  // promtool did not answer: servers keep the configuration that they have, and it is asked again later.
  if (found instanceof NoAnswer) {
    return { refused: { reason: 'NotChecked', message: found.message }, retryAfter: CHECK_AGAIN };
  }
  if (found.refused !== undefined) return { refused: { reason: 'ConfigurationRefused', message: found.refused } };
  const { configuration, leftOut } = found;
  const storage = nextStorageStep(run);
  const pods = watched.pods.filter(({ name }) => isNumbered(name, workloadName(object)));
  const states = await loadInto(pods, configuration, {
    known: object.status?.pods ?? [],
    owner: object.metadata.uid,
    signal,
  });
  const told = tellSources(object, { items, leftOut, sources: watched, patch, attempt });
  const { conditions, events } = ownNews(object, [
    accepted(leftOut, told.refused),
    loaded(states, object.spec.replicas ?? 1),
    stored(storage),
  ]);
  const retryAfter = nextLook(object, { states, leftOut, storage, told });
  return {
    ...(storage.step !== 'release' &&
      storage.step !== 'wait' && { children: childrenOf(object, configuration, storage.claim) }),
    status: statusOf({ items, leftOut, states, configuration }),
    conditions,
    events: [...events, ...told.events],
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** How long promtool may be gone before it is asked again. */
const CHECK_AGAIN = '30s';

function noAnswer(error: unknown, signal: AbortSignal): NoAnswer {
  if (error instanceof NoAnswer && !signal.aborted) return error;
  throw error;
}

function nextStorageStep({ object, owned, watched, patch }: Run): StorageStep {
  const [set] = owned['StatefulSet.apps'] ?? [];
  const shape = shapeOf(object, object.spec.storage !== undefined);
  const claims = watched.claims.filter(({ name }) => isNumbered(name, `data-${workloadName(object)}`));
  const step = storageStep(object, { live: set, claims, shape });
  const { namespace } = object.metadata;
  if (step.step === 'grow') {
    const mergePatch = { spec: { resources: { requests: { storage: step.size } } } };
    for (const name of step.claims)
      patch.merge({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name }, mergePatch);
  }
  if (step.step === 'release' && set !== undefined) patch.deleteNonCascading(set, { preconditions: { uid: step.uid } });
  return step;
}
