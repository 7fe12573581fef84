/** A CustomResourceDefinition `crontabs.<group>` that stores the first of these versions and serves all. */
export function cronTabDefinition(versions: readonly string[], group = 'example.com'): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `crontabs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

/** An object of it. */
export function cronTab(apiVersion: string, name: string, more: object = {}): object {
  return { apiVersion, kind: 'CronTab', metadata: { name, namespace: 'default' }, ...more };
}

/** The config of a hook with these rules, such as `v1>v2`. */
export function converting(rules: readonly string[], group = 'example.com', more: object = {}): object {
  const conversions = rules.map((rule) => {
    const [fromVersion, toVersion] = rule.split('>');
    return { fromVersion, toVersion };
  });
  return {
    configVersion: 'v1',
    kubernetesCustomResourceConversion: [{ name: 'crontabs', crdName: `crontabs.${group}`, conversions, ...more }],
  };
}

/** The body of a hook that sets the version, and adds the rule to `spec.way`. */
export const CONVERTS = `jq '.[0] as $c | {convertedObjects: [$c.review.request.objects[]
  | (.apiVersion | split("/")[0]) as $group
  | .apiVersion = ($group + "/" + ($c.toVersion | split("/") | last))
  | .spec.way = ((.spec.way // []) + [$c.fromVersion + ">" + $c.toVersion])]}' "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"`;
