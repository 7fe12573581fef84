import { basename } from 'node:path';
import { stringify } from 'yaml';
import { unreachable } from '../../lib/unreachable.ts';
import type { HookPlan, PlannedKind } from './hook-plan.ts';

/** The scenario of a new hook, whose file is at `path` from there: it is run, and has done what a new hook does. */
export function scenarioText(plan: HookPlan, path: string): string {
  const story = { name: nameOf(plan), hooks: [path], ...partsOf(plan, basename(path)) };
  return stringify(story, { lineWidth: 0 });
}

function nameOf(plan: HookPlan): string {
  switch (plan.type) {
    case 'startup':
      return `${plan.name} runs at the start`;
    case 'schedule':
      return `${plan.name} runs on its schedule`;
    case 'http':
      return `${plan.name} is loaded`;
    case 'kubernetes':
      return `${plan.name} runs when a ${plan.kind.kind} comes`;
    case 'reconcile':
      return `${plan.name} makes what a ${plan.kind.kind} says`;
    case 'webhook':
      return `${plan.name} judges a ${plan.kind.kind}`;
    default:
      return unreachable(plan);
  }
}

function partsOf(plan: HookPlan, hook: string): object {
  const ran = { runs: [{ hook, outcome: 'succeeded' }] };
  switch (plan.type) {
    case 'startup':
      return { given: { expect: ran } };
    case 'http':
      return { given: { expect: { runs: 0 } } };
    case 'schedule':
      return { given: { clock: '2026-03-01T12:01:00Z' }, steps: [{ tick: '10m', expect: ran }] };
    case 'kubernetes':
      return { ...givenFor(plan.kind), steps: [{ apply: exampleOf(plan.kind), expect: { ...ran, writes: 0 } }] };
    case 'reconcile':
      return {
        ...givenFor(plan.kind),
        steps: [{ apply: exampleOf(plan.kind), expect: { objects: [childOf(plan.kind)] } }],
        perturb: ['twice', 'crash'],
      };
    case 'webhook':
      return {
        ...givenFor(plan.kind),
        steps: [
          { admit: { object: exampleOf(plan.kind) }, expect: { answer: { allowed: false } } },
          { admit: { object: exampleOf(plan.kind, { owner: 'me' }) }, expect: { answer: { allowed: true } } },
        ],
      };
    default:
      return unreachable(plan);
  }
}

/** What must be there before an object of the kind: the definition of one that not every cluster has. */
function givenFor({ group, version, kind, plural }: PlannedKind): object {
  if (!group.includes('.') || group.endsWith('.k8s.io')) return {};
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
  return { given: { objects: [definition] } };
}

const NAME = 'example';

function exampleOf({ apiVersion, kind, isNamespaced }: PlannedKind, labels?: object): object {
  const place = isNamespaced ? { namespace: 'default' } : {};
  return { apiVersion, kind, metadata: { name: NAME, ...place, ...(labels && { labels }) }, ...SPECS[kind] };
}

function childOf({ isNamespaced }: PlannedKind): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, ...(isNamespaced && { namespace: 'default' }) },
  };
}

const CONTAINERS = { containers: [{ name: 'main', image: 'example:1' }] };
const SELECTED = {
  selector: { matchLabels: { app: NAME } },
  template: { metadata: { labels: { app: NAME } }, spec: CONTAINERS },
};
const JOB = { template: { spec: { ...CONTAINERS, restartPolicy: 'Never' } } };

/** What an API server demands of common kinds. */
const SPECS: Readonly<Record<string, object>> = {
  Pod: { spec: CONTAINERS },
  Deployment: { spec: SELECTED },
  ReplicaSet: { spec: SELECTED },
  DaemonSet: { spec: SELECTED },
  StatefulSet: { spec: { serviceName: NAME, ...SELECTED } },
  Job: { spec: JOB },
  CronJob: { spec: { schedule: '0 3 * * *', jobTemplate: { spec: JOB } } },
  Service: { spec: { ports: [{ port: 80 }] } },
  Ingress: { spec: { defaultBackend: { service: { name: NAME, port: { number: 80 } } } } },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
};
