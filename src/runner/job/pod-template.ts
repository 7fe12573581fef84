import { JOB_AUDIENCE, JOB_CONTAINERS, JOB_ENV, JOB_FOLDER, JOB_TOKEN_FILE } from '../../hook/job-desk.ts';
import type { JobRule } from '../../hook/job-rule.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { runEnvironment } from '../workspace.ts';
import type { JobFacts } from './job-facts.ts';

/** Where Pods find the operator, and what their containers are made of. */
export interface PodPlace {
  /** The image of the operator's own container. */
  readonly image: string;
  /** Addresses of replicas, as in `JOB_ENV.urls`. */
  readonly urls: readonly string[];
  /** The variables of the operator that hooklet needs in the image of a hook, such as HOOKLET_HOOKS_DIR. */
  readonly env: Readonly<Record<string, string>>;
}

/** What one Pod is for. */
export interface PodPurpose {
  readonly rule: JobRule;
  readonly facts: JobFacts;
  /** The name of its Job. */
  readonly job: string;
  /** PEM of what signs the certificates of replicas. */
  readonly authority: string;
  /** Added to the environment of the hook. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** The least that a kubelet takes; it renews the token long before. */
const TOKEN_SECONDS = 600;
/** Enough to send what the hook wrote; with a sidecar also while the leader changes. */
const GRACE_SECONDS = { image: 30, sidecar: 60 } as const;
const AGENT = ['hooklet', 'exec-run'] as const;
const TOKEN = 'hooklet-token';
const FILES = 'hooklet-run';
/** Both containers may have other users, and whoever comes to the Pod sees its files alone. */
const FILES_MOUNT = { name: FILES, mountPath: JOB_FOLDER };

/** The labels are those of the Job; the Pod may be created where the standard `restricted` is enforced. */
export function podTemplate(purpose: PodPurpose, place: PodPlace, labels: JsonObject): JsonObject {
  const { rule } = purpose;
  const isSidecar = rule.agent === 'sidecar';
  return {
    metadata: { labels },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: rule.serviceAccountName !== undefined,
      serviceAccountName: rule.serviceAccountName ?? 'default',
      terminationGracePeriodSeconds: GRACE_SECONDS[rule.agent],
      // The variables of Services would be those of the namespace, which the hook does not have elsewhere.
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...(isSidecar && { initContainers: [sidecar(purpose, place)] }),
      containers: [isSidecar ? foreignHook(purpose, place) : ownHook(purpose, place)],
      volumes: [tokenVolume(), ...(isSidecar ? [{ name: FILES, emptyDir: {} }] : [])],
    },
  };
}

/** The image has hooklet in it, whatever its entrypoint is. */
function ownHook(purpose: PodPurpose, place: PodPlace): JsonObject {
  return {
    ...hookContainer(purpose, place),
    command: AGENT,
    env: envList({ ...place.env, ...purpose.env, ...agentEnv(purpose, place) }),
    volumeMounts: [tokenMount()],
  };
}

/** Its program is the hook, which finds its files as any hook does. */
function foreignHook(purpose: PodPurpose, place: PodPlace): JsonObject {
  const { command, args } = purpose.rule;
  const { runId, traceparent } = purpose.facts;
  const traced = traceparent === undefined ? {} : { TRACEPARENT: traceparent };
  return {
    ...hookContainer(purpose, place),
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args }),
    env: envList({ ...purpose.env, ...runEnvironment(JOB_FOLDER), RUN_ID: runId, ...traced }),
    volumeMounts: [FILES_MOUNT],
  };
}

function hookContainer({ rule }: PodPurpose, { image }: PodPlace): JsonObject {
  return {
    name: JOB_CONTAINERS.hook,
    image: rule.image ?? image,
    ...(rule.resources !== undefined && { resources: rule.resources }),
    securityContext: CONFINED,
  };
}

/** A native sidecar: the kubelet starts the hook when the probe finds its files, and ends the sidecar after the hook. */
function sidecar(purpose: PodPurpose, place: PodPlace): JsonObject {
  return {
    name: JOB_CONTAINERS.sidecar,
    image: place.image,
    restartPolicy: 'Always',
    command: [...AGENT, '--sidecar'],
    env: envList({ ...place.env, ...agentEnv(purpose, place) }),
    startupProbe: { exec: { command: [...AGENT, '--ready'] }, periodSeconds: 1, timeoutSeconds: 5, ...ENDLESS },
    volumeMounts: [tokenMount(), FILES_MOUNT],
    securityContext: CONFINED,
  };
}

const CONFINED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
/** The start has a limit of its own, which says more. */
const ENDLESS = { failureThreshold: 86_400 };

function agentEnv({ job, authority }: PodPurpose, { urls }: PodPlace): Readonly<Record<string, string>> {
  return {
    [JOB_ENV.job]: job,
    [JOB_ENV.urls]: urls.join(','),
    [JOB_ENV.authority]: authority,
    [JOB_ENV.tokenFile]: JOB_TOKEN_FILE,
  };
}

function envList(env: Readonly<Record<string, string>>): readonly JsonObject[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}

function tokenMount(): JsonObject {
  return { name: TOKEN, mountPath: JOB_TOKEN_FILE.slice(0, JOB_TOKEN_FILE.lastIndexOf('/')), readOnly: true };
}

function tokenVolume(): JsonObject {
  const path = JOB_TOKEN_FILE.slice(JOB_TOKEN_FILE.lastIndexOf('/') + 1);
  const token = { audience: JOB_AUDIENCE, expirationSeconds: TOKEN_SECONDS, path };
  return { name: TOKEN, projected: { sources: [{ serviceAccountToken: token }] } };
}
