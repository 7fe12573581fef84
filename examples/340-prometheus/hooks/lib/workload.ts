import type { NewObject } from 'hooklet';
import { CONFIG_FOLDER } from './configuration.ts';
import { hashOf } from './items.ts';
import { type Configuration, PARTS } from './packing.ts';
import { SHAPE_ANNOTATION } from './storage.ts';
import { OWNER_LABEL, type Claim, type Prometheus } from './resources.ts';

const VERSION = '3.13.5';
const PORT = 9090;

/** The ConfigMaps, the Service and the StatefulSet of a Prometheus. */
export function childrenOf(
  prometheus: Prometheus,
  { parts }: Configuration,
  claim: Claim | undefined,
): readonly NewObject[] {
  const name = workloadName(prometheus);
  const labels = { [OWNER_LABEL]: prometheus.metadata.name };
  const maps = parts.map((files, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${index}`, labels },
    data: Object.fromEntries(files.map((file) => [file.name, file.content])),
  }));
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels },
    spec: { clusterIP: 'None', selector: labels, ports: [{ name: 'web', port: PORT, targetPort: 'web' }] },
  };
  return [...maps, service, statefulSet(prometheus, claim)];
}

/** The name of the StatefulSet and the Service, and what those of the ConfigMaps begin with. */
export function workloadName({ metadata }: Prometheus): string {
  return `prometheus-${metadata.name}`;
}

/** Whether the name is OF-NUMBER. Labels alone prove nothing, since any user may set them. */
export function isNumbered(name: string, of: string): boolean {
  return name.startsWith(`${of}-`) && /^\d+$/.test(name.slice(of.length + 1));
}

function statefulSet(prometheus: Prometheus, claim: Claim | undefined): NewObject {
  const { metadata } = prometheus;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: workloadName(prometheus),
      labels: { [OWNER_LABEL]: metadata.name },
      annotations: { [SHAPE_ANNOTATION]: shapeOf(prometheus, claim !== undefined) },
    },
    spec: {
      ...shape(prometheus, claim !== undefined),
      ...(claim !== undefined && { volumeClaimTemplates: [claimTemplate(claim)] }),
    },
  };
}

/** The mark of a StatefulSet, whatever its claims ask for. */
export function shapeOf(prometheus: Prometheus, hasClaims: boolean): string {
  return hashOf(JSON.stringify(shape(prometheus, hasClaims)));
}

function shape(prometheus: Prometheus, hasClaims: boolean): object {
  const { metadata, spec } = prometheus;
  const name = workloadName(prometheus);
  const labels = { [OWNER_LABEL]: metadata.name };
  return {
    replicas: spec.replicas ?? 1,
    serviceName: name,
    // One that is broken is replaced in a rollout too, rather than waited for.
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        ...accountOf(spec),
        ...(spec.nodeSelector !== undefined && { nodeSelector: spec.nodeSelector }),
        terminationGracePeriodSeconds: 120,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65534,
          runAsGroup: 65534,
          fsGroup: 65534,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [container(prometheus)],
        volumes: [configVolume(name), ...(hasClaims ? [] : [{ name: 'data', emptyDir: {} }])],
      },
    },
  };
}

/** By both names: the API server sets the older one too, and would keep it when the other one alone is taken away. */
function accountOf({ serviceAccountName }: Prometheus['spec']): object {
  return serviceAccountName === undefined ? {} : { serviceAccountName, serviceAccount: serviceAccountName };
}

function container({ spec }: Prometheus): object {
  const { version = VERSION, retention, retentionSize, logLevel } = spec;
  return {
    name: 'prometheus',
    image: spec.image ?? `prom/prometheus:v${version}`,
    args: [
      `--config.file=${CONFIG_FOLDER}/prometheus.yml`,
      '--storage.tsdb.path=/prometheus',
      ...(retention === undefined && retentionSize !== undefined
        ? []
        : [`--storage.tsdb.retention.time=${retention ?? '15d'}`]),
      ...(retentionSize === undefined ? [] : [`--storage.tsdb.retention.size=${retentionSize}`]),
      '--web.enable-lifecycle',
      '--enable-feature=expand-external-labels',
      ...(logLevel === undefined ? [] : [`--log.level=${logLevel}`]),
    ],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ports: [{ name: 'web', containerPort: PORT }],
    ...(spec.resources !== undefined && { resources: spec.resources }),
    // Half an hour for the log of what was written last to be read again.
    startupProbe: {
      httpGet: { path: '/-/ready', port: 'web' },
      periodSeconds: 3,
      timeoutSeconds: 3,
      failureThreshold: 600,
    },
    readinessProbe: { httpGet: { path: '/-/ready', port: 'web' }, periodSeconds: 5, timeoutSeconds: 3 },
    livenessProbe: {
      httpGet: { path: '/-/healthy', port: 'web' },
      periodSeconds: 5,
      timeoutSeconds: 3,
      failureThreshold: 6,
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_FOLDER, readOnly: true },
      { name: 'data', mountPath: '/prometheus' },
    ],
  };
}

/** All ConfigMaps that there may ever be, in one volume: its files change together. */
function configVolume(name: string): object {
  const sources = Array.from({ length: PARTS }, (_, index) => ({
    configMap: { name: `${name}-${index}`, ...(index > 0 && { optional: true }) },
  }));
  return { name: 'config', projected: { sources } };
}

function claimTemplate({ storageClassName, resources }: Claim): object {
  return {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: resources.requests.storage } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}
