import { describe, expect, it } from 'vitest';
import { startSandbox, type AccessAttributes, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { sitesConfig } from '../support/reconcile-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';

const SOURCE: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'source', namespace: 'default', labels: { site: 'yes' } },
};
const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'pod', namespace: 'default', labels: { site: 'yes' } },
  spec: { containers: [{ name: 'a', image: 'b' }] },
};
const ENV = { POD_NAME: 'me', POD_NAMESPACE: 'shop' };

function watching(kind: string, body: string): string {
  const binding = { name: 'all', kind, labelSelector: { matchLabels: { site: 'yes' } } };
  return recordingHook({ configVersion: 'v1', kubernetes: [binding] }, body);
}

function patching(patch: string): string {
  return watching('ConfigMap', `cat > "$KUBERNETES_PATCH_PATH" <<'EOF'\n${patch}\nEOF`);
}

function reconciling(fields: object, answer: string): string {
  return recordingHook(sitesConfig(fields), `printf %s '${answer}' > "$RESULT_PATH"`);
}

const secret = (name: string): object => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });

interface Path {
  readonly title: string;
  readonly hook: string;
  /** `verb resource` that is refused. */
  readonly refused: string;
  readonly rule: string;
  readonly where?: string;
  readonly operator?: Parameters<typeof startOperator>[0]['operator'];
}

const RULE = (group: string, resource: string, verbs: string): string =>
  `{apiGroups: ["${group}"], resources: [${resource}], verbs: [${verbs}]}`;

const PATHS: readonly Path[] = [
  {
    title: 'what a binding follows',
    hook: watching('Pod', ''),
    refused: 'watch pods',
    rule: RULE('', 'pods', 'list, watch'),
    where: 'to a ClusterRole',
  },
  {
    title: 'a patch of a subresource',
    hook: patching(
      'operation: MergePatch\nkind: Pod\nnamespace: default\nname: pod\nsubresource: status\nmergePatch: {status: {phase: Running}}',
    ),
    refused: 'patch pods/status',
    rule: RULE('', 'pods/status', 'patch'),
    where: 'to a Role in the namespace default',
  },
  {
    title: 'a creation',
    hook: patching(
      'operation: Create\nobject: {apiVersion: v1, kind: Secret, metadata: {name: a, namespace: default}}',
    ),
    refused: 'create secrets',
    rule: RULE('', 'secrets', 'create'),
    where: 'to a Role in the namespace default',
  },
  {
    title: 'a child',
    hook: reconciling({}, JSON.stringify({ children: [secret('child')] })),
    refused: 'patch secrets',
    rule: RULE('', 'secrets', 'get, list, watch, create, patch, delete'),
  },
  {
    title: 'a finalizer',
    hook: reconciling({ finalize: true }, '{}'),
    refused: 'patch configmaps',
    rule: RULE('', 'configmaps', 'patch'),
    where: 'to a Role in the namespace default',
  },
  {
    title: 'the status of a result',
    hook: reconciling(
      { kind: 'Pod', owns: [] },
      '{"conditions":[{"type":"Ready","status":"True","reason":"Done","message":"x"}]}',
    ),
    refused: 'patch pods/status',
    rule: RULE('', 'pods/status', 'patch'),
  },
  {
    title: 'an Event of a result',
    hook: watching(
      'Pod',
      `printf %s '{"events":[{"type":"Normal","reason":"Told","message":"x","object":{"apiVersion":"v1","kind":"Pod","namespace":"default","name":"pod"}}]}' > "$RESULT_PATH"`,
    ),
    refused: 'create events',
    rule: RULE('', 'events', 'create, patch'),
  },
  {
    title: 'the Lease',
    hook: watching('Pod', ''),
    refused: 'get leases',
    rule: RULE('coordination.k8s.io', 'leases', 'get, create, update'),
    where: 'a Role in the namespace shop',
    operator: {
      leaderElection: { leaseName: 'l', leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
    },
  },
  {
    title: 'the ConfigMap of schedules',
    hook: recordingHook({ configVersion: 'v1', schedule: [{ crontab: '* * * * *', missed: 'latest' }] }),
    refused: 'get configmaps',
    rule: RULE('', 'configmaps', 'get, create, patch'),
    where: 'a Role in namespace shop',
  },
  {
    title: 'the pause of namespaces',
    hook: reconciling({}, '{}'),
    refused: 'watch namespaces',
    rule: RULE('', 'namespaces', 'list, watch'),
    where: 'a ClusterRole',
  },
  {
    title: 'discovery',
    hook: watching('Pod', ''),
    refused: 'get /api',
    rule: '{nonResourceURLs: ["/api"], verbs: [get]}',
    where: 'to a ClusterRole',
  },
];

function rightTo({ verb, resource, subresource, path }: AccessAttributes): string {
  return path === '' ? `${verb} ${subresource === '' ? resource : `${resource}/${subresource}`}` : `${verb} ${path}`;
}

function told({ lines }: OperatorRig): readonly string[] {
  return lines.map(({ message, fields }) =>
    [
      message,
      ...Object.values(fields).map((value) => (value instanceof Error ? value.message : (JSON.stringify(value) ?? ''))),
    ]
      .join(' ')
      .replaceAll('\\"', '"'),
  );
}

async function sandboxRefusing(refused: string): Promise<Sandbox> {
  let isAdmin = true;
  const sandbox = await startSandbox({ authorize: (attributes) => isAdmin || rightTo(attributes) !== refused });
  await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const object of [SOURCE, POD]) await sandbox.apply(object);
  isAdmin = false;
  return sandbox;
}

describe('what the API server forbids', () => {
  it.each(PATHS)(
    'has the rule to add in the log, for $title',
    async ({ hook, refused, rule, where = '', operator = {} }) => {
      await using sandbox = await sandboxRefusing(refused);
      await using rig = startOperator({
        hooks: { 'a.sh': hook },
        connect: sandboxCluster(sandbox),
        env: ENV,
        operator,
      });

      await until(() => {
        const lines = told(rig).filter((line) => line.includes(rule) && line.includes(where));
        expect(lines, told(rig).join('\n')).not.toEqual([]);
      }, 5000);
    },
  );
});
