import { unreachable } from '../../lib/unreachable.ts';
import type { HookPlan, PlannedKind } from './hook-plan.ts';

/** The config of a new hook as YAML, for a hook that prints it; without a newline at its end. */
export function configText(plan: HookPlan): string {
  return ['configVersion: v1', ...bindingLines(plan)].join('\n');
}

/** What is kept of an object. */
export const KEPT = '{name: .metadata.name, namespace: .metadata.namespace}';

/** The name of the webhook of a new hook. */
export function webhookName({ name }: HookPlan): string {
  return `${name}.hooks.example.com`;
}

/** The name of a CustomResourceDefinition or a built-in kind in rules: the plural. */
export function ruleOf({ group, version, plural }: PlannedKind): {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
} {
  return { apiGroups: [group], apiVersions: [version], resources: [plural] };
}

function bindingLines(plan: HookPlan): readonly string[] {
  switch (plan.type) {
    case 'startup':
      return ['# Hooks with a smaller number run first.', 'onStartup: 10'];
    case 'schedule':
      return ['schedule:', `  - name: ${plan.name}`, '    crontab: "*/10 * * * *"'];
    case 'http':
      return ['http:', '  # POST /trigger/…, by who may: see docs/http.md.', `  - name: ${plan.name}`];
    case 'kubernetes':
      return ['kubernetes:', `  - name: ${plan.name}`, ...kindLines(plan.kind), ...FILTER];
    case 'reconcile':
      return [
        'reconcile:',
        `  - name: ${plan.name}`,
        ...kindLines(plan.kind),
        '    owns:',
        '      - apiVersion: v1',
        '        kind: ConfigMap',
      ];
    case 'webhook':
      return ['kubernetesValidating:', `  - name: ${webhookName(plan)}`, '    rules:', ...ruleLines(plan.kind)];
    default:
      return unreachable(plan);
  }
}

function kindLines({ apiVersion, kind }: PlannedKind): readonly string[] {
  return [`    apiVersion: ${apiVersion}`, `    kind: ${kind}`];
}

const FILTER = [
  '    # Only this is kept of each object, and only a change of it runs the hook.',
  `    jqFilter: '${KEPT}'`,
  '    keepFullObjectsInMemory: false',
];

function ruleLines(kind: PlannedKind): readonly string[] {
  const { apiGroups, apiVersions, resources } = ruleOf(kind);
  return [
    `      - apiGroups: [${apiGroups.map((group) => JSON.stringify(group)).join(', ')}]`,
    `        apiVersions: [${apiVersions.join(', ')}]`,
    `        resources: [${resources.join(', ')}]`,
    '        operations: [CREATE, UPDATE]',
  ];
}
