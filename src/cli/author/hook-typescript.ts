import { unreachable } from '../../lib/unreachable.ts';
import { KEPT, ruleOf, webhookName } from './hook-config.ts';
import type { HookPlan, PlannedKind } from './hook-plan.ts';

/** A new hook in TypeScript. */
export function typescriptHook(plan: HookPlan): string {
  return `// ${plan.name}: say here what it does.\n${sourceOf(plan)}`;
}

function sourceOf(plan: HookPlan): string {
  switch (plan.type) {
    case 'startup':
      return defined(['onStartup'], 'onStartup(10)', plan.name, [
        'run({ log }) {',
        "  log.info('hooklet has started');",
      ]);
    case 'schedule':
      return defined(['schedule'], "schedule('*/10 * * * *')", plan.name, [
        'run({ contexts, log }) {',
        "  for (const context of contexts) if (context.type === 'Schedule') log.info('due', { at: context.scheduledAt });",
      ]);
    case 'http':
      return defined(['http'], 'http()', plan.name, [
        'run({ contexts, log }) {',
        "  for (const context of contexts) if (context.type === 'Http') log.info('requested', { path: context.request.path });",
      ]);
    case 'kubernetes':
      return kubernetesHook(plan.name, plan.kind);
    case 'reconcile':
      return reconcileHook(plan.name, plan.kind);
    case 'webhook':
      return defined(['validating'], validatingOf(plan.kind), webhookName(plan), [
        'run({ contexts, answer }) {',
        '  for (const { request } of contexts) {',
        '    const { labels } = (request.object?.metadata ?? {}) as { readonly labels?: Record<string, string> };',
        "    if (labels?.['owner'] !== undefined) answer.allow();",
        "    else answer.deny('the label owner is missing');",
        '  }',
      ]);
    default:
      return unreachable(plan);
  }
}

function defined(imports: readonly string[], declaration: string, binding: string, run: readonly string[]): string {
  const names = ['defineHook', ...imports].toSorted().join(', ');
  const key = /^[a-z]+$/.test(binding) ? binding : `'${binding}'`;
  return `import { ${names} } from 'hooklet';

export default defineHook({
  bindings: {
    ${key}: ${declaration},
  },
${run.map((line) => `  ${line}\n`).join('')}  },
});
`;
}

function kubernetesHook(name: string, { apiVersion, kind }: PlannedKind): string {
  const declaration = `kubernetes<{ readonly name: string; readonly namespace?: string }>({
      apiVersion: '${apiVersion}',
      kind: '${kind}',
      // Only this is kept of each object, and only a change of it runs the hook.
      jqFilter: '${KEPT}',
    })`;
  return defined(['kubernetes'], declaration, name, [
    'run({ contexts, log }) {',
    '  for (const context of contexts) {',
    "    if (context.type === 'Synchronization') log.info('at the start', { objects: context.objects.length });",
    "    if (context.type === 'Event') log.info(context.watchEvent, { name: context.filterResult?.name });",
    '  }',
  ]);
}

function validatingOf(kind: PlannedKind): string {
  const lists = Object.entries(ruleOf(kind)).map(
    ([field, words]) => `${field}: [${words.map((word) => `'${word}'`).join(', ')}]`,
  );
  return `validating({
      rules: [{ ${lists.join(', ')}, operations: ['CREATE', 'UPDATE'] }],
    })`;
}

function reconcileHook(name: string, { apiVersion, kind }: PlannedKind): string {
  return `import { reconcile } from 'hooklet';

export default reconcile(
  {
    name: '${name}',
    apiVersion: '${apiVersion}',
    kind: '${kind}',
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
  },
  ({ object }) => {
    const { name } = object.metadata;
    // All that should be there for the object.
    return { children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { for: name } }] };
  },
);
`;
}
