import { describe, expect, it } from 'vitest';
import { kindProblems } from '../../src/cli/check/kinds.ts';

const of = (kind: unknown, apiVersion?: unknown) => kindProblems({ kubernetes: [{ kind, apiVersion }] });

const shortened = (kind: unknown, apiVersion?: unknown): readonly string[] =>
  of(kind, apiVersion).map(({ severity, path, message }) => `${severity} ${path}: ${message}`);

describe('kindProblems', () => {
  it.each([
    ['Pod', undefined],
    ['Pod', 'v1'],
    ['pods', 'v1'],
    ['PO', ''],
    ['deploy', 'apps/v1'],
    ['deployments.apps', undefined],
    ['deployments.v1.apps', undefined],
    ['Event', 'v1'],
    ['Event', 'events.k8s.io/v1'],
    ['HorizontalPodAutoscaler', 'autoscaling/v1'],
  ])('knows the built-in kind %s of %s by any of its names', (kind, apiVersion) => {
    expect(of(kind, apiVersion)).toEqual([]);
  });

  it.each([
    ['Podd', 'v1', 'kind: got "Podd", which v1 does not have, did you mean Pod?'],
    ['Deploymnet', 'apps/v1', 'kind: got "Deploymnet", which apps/v1 does not have, did you mean Deployment?'],
    ['Deploymnet', 'v1', 'kind: got "Deploymnet", which v1 does not have, did you mean Deployment of apps/v1?'],
    ['podd.v1.', undefined, 'kind: got "podd.v1.", which v1 does not have, did you mean Pod?'],
    ['deploymnets.apps', undefined, 'kind: got "deploymnets.apps", which apps does not have, did you mean Deployment?'],
    ['Deployment', 'apps/v2', 'apiVersion: apps/v2 has no Deployment, did you mean apps/v1?'],
    ['Deployment', 'v1', 'apiVersion: v1 has no Deployment, did you mean apps/v1?'],
    ['deploy', 'batch/v1', 'apiVersion: batch/v1 has no Deployment, did you mean apps/v1?'],
    ['TokenReview', undefined, 'kind: authentication.k8s.io/v1 TokenReview has no list and no watch'],
    ['ComponentStatus', 'v1', 'kind: v1 ComponentStatus has no watch, so that a hook cannot bind to it'],
  ])('refuses %s of %s', (kind, apiVersion, message) => {
    const [found, ...more] = shortened(kind, apiVersion);

    expect(more).toEqual([]);
    expect(found).toContain(`error kubernetes[0].${message}`);
  });

  it.each([
    ['Podd', undefined, 'kind: got "Podd", did you mean Pod? If it is a custom resource, give its apiVersion'],
    [
      'CronJob',
      'batch/v1beta1',
      'apiVersion: batch/v1beta1 has no CronJob in the current Kubernetes version, did you mean batch/v1?',
    ],
    ['Tulip', 'apps/v1', 'kind: got "Tulip", which apps/v1 is not known to have'],
    [
      'MutatingAdmissionPolicy',
      'admissionregistration.k8s.io/v1',
      'kind: got "MutatingAdmissionPolicy", which admissionregistration.k8s.io/v1 is not known to have',
    ],
  ])('only warns of %s of %s, which a cluster may have', (kind, apiVersion, message) => {
    expect(shortened(kind, apiVersion)).toEqual([`warning kubernetes[0].${message}`]);
  });

  it.each([
    ['Certificate', 'cert-manager.io/v1'],
    ['Pod', 'example.com/v7'],
    ['Podd', 'example.com/v1'],
    ['certificates.cert-manager.io', undefined],
    ['Certificate', undefined],
    ['DeviceTaintRule', 'resource.k8s.io/v1alpha3'],
  ])('does not judge %s of %s, which may be a custom resource or a new one', (kind, apiVersion) => {
    expect(of(kind, apiVersion)).toEqual([]);
  });

  it.each<[unknown]>([
    [undefined],
    ['text'],
    [{ kubernetes: 'text' }],
    [{ kubernetes: [null, 'text', { kind: 5 }, { kind: '' }, { kind: 'Pod', apiVersion: 1 }] }],
    [{ kubernetes: [{ kind: 'x'.repeat(100_000) }] }],
  ])('leaves what is no kind at all to the reader of the config: case %#', (config) => {
    expect(kindProblems(config)).toEqual([]);
  });

  it('names the entry', () => {
    const kubernetes = [{ kind: 'Pod' }, { kind: 'Deployment', apiVersion: 'v1' }];

    expect(kindProblems({ kubernetes }).map(({ path }) => path)).toEqual(['kubernetes[1].apiVersion']);
  });
});
