import { at, objectAt, objectsAt, textAt, withDefaultsAt, without } from './json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Returns a pod with the fields that the server and its default admission plugins fill in. */
export function withPodDefaults(pod: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = withPodSpecDefaults(objectAt(pod, 'spec'));
  const spec: JsonObject = {
    ...filled,
    tolerations: withStandardTolerations(objectsAt(filled, 'tolerations')),
    priority: filled['priority'] ?? 0,
    enableServiceLinks: filled['enableServiceLinks'] ?? true,
    preemptionPolicy: filled['preemptionPolicy'] ?? 'PreemptLowerPriority',
  };
  const completed = { ...pod, spec };
  const status = before === undefined ? { phase: 'Pending' } : objectAt(pod, 'status');
  const podIP = at(status, 'podIP');
  const addresses = podIP === undefined ? {} : { podIPs: [{ ip: podIP }] };
  return { ...completed, status: withDefaultsAt(status, [], { ...addresses, qosClass: qosClass(spec) }) };
}

/** A pod that does not say how long it stays on a node that is lost stays for five minutes. */
function withStandardTolerations(tolerations: readonly JsonObject[]): JsonValue {
  const isTolerated = (key: string): boolean =>
    tolerations.some((one) => ['', key].includes(textAt(one, 'key')) && ['', EFFECT].includes(textAt(one, 'effect')));
  const missing = LOST.filter((key) => !isTolerated(key));
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: EFFECT, tolerationSeconds: 300 })),
  ];
}

const EFFECT = 'NoExecute';
const LOST = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Returns the spec of a pod or of a pod template with the fields that the server fills in. */
export function withPodSpecDefaults(spec: JsonObject): JsonObject {
  const defaults = {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  };
  // The older name counts where the newer one is not given.
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  const volumes = objectsAt(spec, 'volumes').map(withVolumeDefaults);
  return {
    ...without(spec, ...['containers', 'initContainers'].filter((name) => at(spec, name) !== undefined)),
    ...(volumes.length === 0 ? {} : { volumes }),
    ...containersOf(spec, 'initContainers'),
    ...containersOf(spec, 'containers'),
    ...Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, spec[name] ?? value])),
    ...(account === '' ? {} : { serviceAccountName: account, serviceAccount: account }),
  };
}

function containersOf(spec: JsonObject, name: string): JsonObject {
  if (at(spec, name) === undefined) return {};
  return { [name]: objectsAt(spec, name).map(withContainerDefaults) };
}

function withContainerDefaults(container: JsonObject): JsonObject {
  const filled: { [name: string]: JsonValue } = { ...container };
  const ports = objectsAt(container, 'ports');
  if (ports.length > 0) filled['ports'] = ports.map((port) => ({ ...port, protocol: port['protocol'] ?? 'TCP' }));
  filled['resources'] = withRequests(objectAt(container, 'resources'));
  for (const probe of PROBES) {
    const value = filled[probe];
    if (isJsonObject(value)) filled[probe] = withProbeDefaults(value);
  }
  filled['terminationMessagePath'] ??= '/dev/termination-log';
  filled['terminationMessagePolicy'] ??= 'File';
  filled['imagePullPolicy'] ??= pullPolicy(textAt(container, 'image'));
  return filled;
}

/** A resource with a limit but no request is requested at its limit. */
function withRequests(resources: JsonObject): JsonObject {
  const limits = objectAt(resources, 'limits');
  return Object.keys(limits).length === 0 ? resources : withDefaultsAt(resources, ['requests'], limits);
}

const VOLUMES_WITH_MODE = ['configMap', 'secret', 'projected', 'downwardAPI'];

function withVolumeDefaults(volume: JsonObject): JsonObject {
  const source = VOLUMES_WITH_MODE.find((name) => at(volume, name) !== undefined);
  return source === undefined ? volume : withDefaultsAt(volume, [source], { defaultMode: 0o644 });
}

function withProbeDefaults(probe: JsonObject): JsonObject {
  const get = objectAt(probe, 'httpGet');
  return {
    ...probe,
    ...(at(probe, 'httpGet') === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...get } }),
    timeoutSeconds: probe['timeoutSeconds'] ?? 1,
    periodSeconds: probe['periodSeconds'] ?? 10,
    successThreshold: probe['successThreshold'] ?? 1,
    failureThreshold: probe['failureThreshold'] ?? 3,
  };
}

function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

function qosClass(spec: JsonObject): string {
  const resources = objectsAt(spec, 'containers').map((container) => objectAt(container, 'resources'));
  const amounts = resources.map(({ requests = {}, limits = {} }) => ({ requests, limits }));
  if (amounts.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort';
  const guaranteed = amounts.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = at(limits, name);
      return limit !== undefined && (at(requests, name) ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function isEmpty(value: JsonValue): boolean {
  return !isJsonObject(value) || Object.keys(value).length === 0;
}
