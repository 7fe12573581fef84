import { objectText, type RunLine, type RunOutcomeName, type RunRecord } from '../../src/hook/run-record.ts';
import { RunHistory } from '../../src/run/history.ts';
import { letterOf, pageRig, type PageRigOptions } from '../support/page-rig.ts';

type Row = readonly [hook: string, binding: string, object: string, outcome: RunOutcomeName, last: string];

const ROWS: readonly Row[] = [
  ['100-copy-secret.sh', 'secrets', 'Secret/shop/registry', 'succeeded', 'copied to 12 namespaces'],
  ['110-backup/backup.sh', 'nightly', '', 'failed', 'cannot reach bucket "backups-eu" after 3 tries'],
  ['200-database.ts', 'databases', 'Database/shop/orders', 'succeeded', 'Deployment and Service are ready'],
  ['200-database.ts', 'databases', 'Database/shop/payments', 'later', 'waits for the volume'],
  ['110-backup/backup.sh', 'nightly', '', 'failed', 'cannot reach bucket "backups-us" after 5 tries'],
  ['300-quota.py', 'namespaces', 'Namespace//shop', 'succeeded', 'quota is 40 CPUs'],
  ['100-copy-secret.sh', 'secrets', 'Secret/blog/registry', 'failed', 'namespaces "old" not found'],
  ['300-quota.py', 'namespaces', 'Namespace//blog', 'succeeded', 'quota is 8 CPUs'],
];
const EVIL = '<img src=x onerror="document.title=1"><script>document.title = 2</script>';

function recordOf([hook, binding, object, outcome, last]: Row, index: number, nowMs: number) {
  const isFailed = outcome === 'failed';
  const atMs = nowMs - (index + 1) * 47_000;
  const record: RunRecord = {
    id: `${(0x1d3f5a7b + index * 0x2468ace).toString(16)}-7c1e-4b7a-9d10-0123456789ab`,
    hook,
    binding,
    queue: 'main',
    ...aboutOf(object),
    attempt: isFailed ? 2 : 1,
    queued: new Date(atMs - 12).toISOString(),
    started: new Date(atMs).toISOString(),
    ended: new Date(atMs + 840).toISOString(),
    waitedMs: 12 + index,
    durationMs: 840 + index * 31,
    outcome,
    userCpuMs: 210,
    systemCpuMs: 35,
    maxRssBytes: 19 * 1024 * 1024,
    patches:
      outcome === 'succeeded' ? [{ operation: 'CreateOrUpdate', target: `v1/${object}`, change: 'updated' }] : [],
    ...(isFailed && { error: `hook ${hook} failed: exit code 1`, failedBy: 'hook', exitCode: 1 }),
    next: { type: isFailed ? 'retry' : 'done' },
    lines: 3,
  };
  const lines: readonly RunLine[] = [
    { stream: 'stdout', line: 'looking at the objects' },
    { stream: 'stdout', line: EVIL },
    { stream: isFailed ? 'stderr' : 'stdout', line: last },
  ];
  return { record, log: lines };
}

function aboutOf(object: string): Pick<RunRecord, 'reason' | 'objects'> {
  if (object === '') return { reason: 'Schedule 0 3 * * *', objects: [] };
  const [kind = '', namespace = '', name = ''] = object.split('/');
  const place = { kind, ...(namespace !== '' && { namespace }), name };
  return {
    reason: `Modified ${objectText(place)}`,
    objects: [{ ...place, event: 'Modified' }],
  };
}

/** The page of a small shop, as the pictures in the docs have it. */
export async function shopPage(options: PageRigOptions = {}) {
  const nowMs = Date.now();
  const history = new RunHistory({ now: Date.now });
  history.fill(ROWS.map((row, index) => recordOf(row, index, nowMs)));
  const rig = await pageRig({ history, nowMs, ...options });
  const { state } = rig;
  const backup = '110-backup/backup.sh';
  state.letters = ['3b8694db', '91c0a2e4', 'f00d1234'].map((id, index) =>
    letterOf(id, {
      hook: '100-copy-secret.sh',
      binding: 'secrets',
      message: 'namespaces "old" not found',
      firstAtMs: nowMs - 900_000,
      lastAtMs: nowMs - 60_000 * (index + 1),
    }),
  );
  state.pauses = [{ target: { type: 'hook', hook: '300-quota.py' }, by: 'hand', sinceMs: nowMs - 600_000, held: 2 }];
  state.minutes = Array.from({ length: 180 }, (_, index) => {
    const wave = 1 + Math.sin(index / 13);
    const atMs = nowMs - (180 - index) * 60_000;
    return {
      atMs,
      runs: Math.round(20 * wave + (index % 7)),
      failures: index % 31 === 0 ? 3 : 0,
      waitMs: 40 * wave + (index % 11) * 9,
      queued: index % 5,
    };
  });
  state.status = {
    hooks: { loaded: 4, starting: [], broken: [] },
    queues: [
      {
        queue: 'main',
        running: 0,
        waiting: 3,
        delayedUntil: new Date(nowMs + 40_000).toISOString(),
        tasks: [
          {
            hook: backup,
            binding: 'nightly',
            reason: 'Schedule 0 3 * * *',
            attempt: 3,
            queued: new Date(nowMs - 95_000).toISOString(),
          },
        ],
      },
    ],
    failing: [
      {
        hook: backup,
        binding: 'nightly',
        objects: 0,
        runId: '1f820a19-7c1e',
        attempt: 2,
        at: new Date(nowMs - 94_000).toISOString(),
        message: 'exit code 1',
        again: new Date(nowMs + 40_000).toISOString(),
      },
      {
        hook: '100-copy-secret.sh',
        binding: 'secrets',
        objects: 3,
        object: 'blog/registry',
        runId: '2bef9429-7c1e',
        attempt: 5,
        at: new Date(nowMs - 329_000).toISOString(),
        message: 'exit code 1',
        dead: true,
      },
    ],
    deadLetters: 3,
    paused: ['hook 300-quota.py, 2 waiting'],
  };
  return rig;
}

/** Every page that there is, with what it needs. */
export const PATHS = [
  '/',
  '/runs',
  '/run?id=1d3f5a7b',
  '/objects',
  '/object?name=Database/shop/orders',
  '/failures',
  '/dead',
  '/schedules',
  '/watches',
  '/hooks',
  '/hook?name=hook.sh',
  '/replicas',
  '/pauses',
  '/curves',
  '/confirm?do=drop',
  '/dead?group=none',
  '/run?id=none',
];
