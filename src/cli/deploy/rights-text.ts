import { bindingObject, remarks, roleObject } from '../../rights/manifest-text.ts';
import type { Need } from '../../rights/need.ts';
import { rulesOf } from '../../rights/rules.ts';
import { merged, type Fields } from './merge.ts';

/** A role with its binding, and what is said of each of its rules. */
export interface GrantedRole {
  readonly role: Fields;
  readonly binding: Fields;
  /** In the order of the rules. */
  readonly remarks: readonly (readonly string[])[];
}

/** Roles that grant what hooks need: a ClusterRole for what is needed everywhere, a Role in each namespace. */
export function grantingRoles(
  needs: readonly Need[],
  { name, namespace: home }: { readonly name: string; readonly namespace: string },
): readonly GrantedRole[] {
  const places = Map.groupBy(rulesOf(needs), ({ namespace }) => namespace);
  const labels = { metadata: { labels: { 'app.kubernetes.io/name': name } } };
  return [...places].map(([namespace, rules]) => {
    // Names of cluster roles are shared by all namespaces.
    const place = { name: namespace === '' ? `${home}-${name}-hooks` : `${name}-hooks`, namespace };
    return {
      role: merged(roleObject({ ...place, rules }), labels),
      binding: merged(bindingObject({ ...place, subjects: [{ name, namespace: home }] }), labels),
      remarks: rules.map(remarks),
    };
  });
}
