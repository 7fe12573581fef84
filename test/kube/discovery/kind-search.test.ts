import { describe, expect, it } from 'vitest';

import type { KindReference, ResourceKind } from '../../../src/kube/kind.ts';
import { findKind, nearMisses } from '../../../src/kube/discovery/kind-search.ts';

function kind(apiVersion: string, name: string, more: Partial<ResourceKind> = {}): ResourceKind {
  const [first = '', second] = apiVersion.split('/');
  return {
    group: second === undefined ? '' : first,
    version: second ?? first,
    apiVersion,
    kind: name,
    plural: `${name.toLowerCase()}s`,
    singular: name.toLowerCase(),
    shortNames: [],
    isNamespaced: true,
    verbs: ['list', 'watch'],
    subresources: [],
    ...more,
  };
}

const KINDS = [
  kind('v1', 'Pod', { shortNames: ['po'] }),
  kind('v1', 'Event', { shortNames: ['ev'] }),
  kind('v1', 'Service', { shortNames: ['svc'] }),
  kind('v1', 'Endpoints', { plural: 'endpoints', singular: 'endpoints', shortNames: ['ep'] }),
  kind('events.k8s.io/v1', 'Event', { shortNames: ['ev'] }),
  kind('apps/v1', 'Deployment', { shortNames: ['deploy'] }),
  kind('autoscaling/v2', 'HorizontalPodAutoscaler', { shortNames: ['hpa'] }),
  kind('autoscaling/v1', 'HorizontalPodAutoscaler', { shortNames: ['hpa'] }),
  kind('first.example/v1', 'Backup', { shortNames: ['bk'] }),
  kind('second.example/v1', 'Backup'),
  kind('second.example/v1', 'Bk'),
  kind('v1.example/v2', 'Odd'),
];

const found = (reference: KindReference): string | undefined => {
  const match = findKind(KINDS, reference);
  return match === undefined ? undefined : `${match.apiVersion} ${match.kind}`;
};

describe('findKind', () => {
  it.each<[KindReference, string | undefined]>([
    [{ kind: 'Pod' }, 'v1 Pod'],
    [{ kind: 'pod' }, 'v1 Pod'],
    [{ kind: 'PODS' }, 'v1 Pod'],
    [{ kind: ' po ' }, 'v1 Pod'],
    [{ kind: 'endpoints' }, 'v1 Endpoints'],
    [{ kind: 'event' }, 'v1 Event'],
    [{ kind: 'events.events.k8s.io' }, 'events.k8s.io/v1 Event'],
    [{ kind: 'Event.v1.events.k8s.io' }, 'events.k8s.io/v1 Event'],
    [{ kind: 'Event', apiVersion: 'events.k8s.io/v1' }, 'events.k8s.io/v1 Event'],
    [{ kind: 'Event', apiVersion: 'v1' }, 'v1 Event'],
    [{ kind: 'deploy.apps' }, 'apps/v1 Deployment'],
    [{ kind: 'deployments.v1.apps' }, 'apps/v1 Deployment'],
    [{ kind: 'deployments.apps', apiVersion: 'apps/v1' }, 'apps/v1 Deployment'],
    [{ kind: 'deployments.apps', apiVersion: 'extensions/v1beta1' }, undefined],
    [{ kind: 'Deployment', apiVersion: 'extensions/v1beta1' }, undefined],
    [{ kind: 'Deployment', apiVersion: '' }, 'apps/v1 Deployment'],
    [{ kind: 'hpa' }, 'autoscaling/v2 HorizontalPodAutoscaler'],
    [{ kind: 'hpa', apiVersion: 'autoscaling/v1' }, 'autoscaling/v1 HorizontalPodAutoscaler'],
    [{ kind: 'backup' }, 'first.example/v1 Backup'],
    [{ kind: 'backups.second.example' }, 'second.example/v1 Backup'],
    [{ kind: 'bk' }, 'second.example/v1 Bk'],
    [{ kind: 'odd.v1.example' }, 'v1.example/v2 Odd'],
    [{ kind: 'Nothing' }, undefined],
    [{ kind: '' }, undefined],
  ])('%j is %s', (reference, expected) => {
    expect(found(reference)).toBe(expected);
  });
});

describe('nearMisses', () => {
  it.each([
    [{ kind: 'Deplyment' }, ['apps/v1 Deployment']],
    [{ kind: 'Deployment', apiVersion: 'extensions/v1beta1' }, ['apps/v1 Deployment']],
    [{ kind: 'pdo' }, ['v1 Pod']],
    [{ kind: 'Evnets' }, ['v1 Event', 'events.k8s.io/v1 Event']],
    [{ kind: 'Certificate' }, []],
    [{ kind: '' }, []],
  ])('of %j are %j', (reference, expected) => {
    expect(nearMisses(KINDS, reference).map((near) => `${near.apiVersion} ${near.kind}`)).toEqual(expected);
  });
});
