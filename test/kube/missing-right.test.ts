import { describe, expect, it } from 'vitest';
import { missingRight, withoutMissingRight } from '../../src/kube/missing-right.ts';

const who = 'User "system:serviceaccount:shop:guard"';

describe('missingRight', () => {
  it.each([
    [
      'a verb in a namespace',
      `pods "a" is forbidden: ${who} cannot get resource "pods" in API group "" in the namespace "shop"`,
      '; add the rule {apiGroups: [""], resources: [pods], verbs: [get]} to a Role in the namespace shop',
    ],
    [
      'a list, which is watched from there',
      `sites.x.y is forbidden: ${who} cannot list resource "sites" in API group "x.y" at the cluster scope`,
      '; add the rule {apiGroups: ["x.y"], resources: [sites], verbs: [list, watch]} to a ClusterRole',
    ],
    [
      'a subresource',
      `x is forbidden: ${who} cannot patch resource "pods/status" in API group "" in the namespace "shop": no`,
      '; add the rule {apiGroups: [""], resources: [pods/status], verbs: [patch]} to a Role in the namespace shop',
    ],
    [
      'a path of the server',
      `forbidden: ${who} cannot get path "/apis"`,
      '; add the rule {nonResourceURLs: ["/apis"], verbs: [get]} to a ClusterRole',
    ],
    [
      'rights that a Role would give away',
      'roles "a" is forbidden: user "u" (groups=["g"]) is attempting to grant RBAC permissions not currently held:\n{}',
      '; grant these rights to the account as well, or the verb escalate on that role',
    ],
  ])('names what to add for %s', (_, said, expected) => {
    expect(missingRight(said)).toBe(expected);
  });

  it('names the finalizers of the owners whose deletion would be blocked', () => {
    const owner = { apiVersion: 'shop.dev/v1', kind: 'Policy', blockOwnerDeletion: true };
    const body = JSON.stringify({
      metadata: { ownerReferences: [owner, owner, { ...owner, kind: 'Other', blockOwnerDeletion: false }] },
    });
    const said =
      'secrets "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>';

    expect(missingRight(said, body)).toBe(
      '; add the rule {apiGroups: ["shop.dev"], resources: [policies/finalizers], verbs: [update]}',
    );
    expect(missingRight(said, 'no JSON')).toBe('; add the verb update on the finalizers of its owners');
  });

  it.each([
    'pods "a" is forbidden: exceeded quota: small',
    'admission webhook "x" denied the request: you cannot do this',
    'pods "a" is forbidden: violates PodSecurity "restricted:latest"',
    '',
  ])('is empty where no right is missing: %s', (said) => {
    expect(missingRight(said)).toBe('');
  });

  it('is taken off a message, once', () => {
    const said = `${who} cannot get resource "pods" in API group "" at the cluster scope`;

    expect(withoutMissingRight(`${said}${missingRight(said)}`)).toBe(said);
    expect(withoutMissingRight(said)).toBe(said);
  });
});
