import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt } from '@hooklet/sandbox/testing';
import { nextTick, whyNever } from '../../examples/310-backup/hooks/lib/crontab.ts';
import { podTemplate } from '../../examples/310-backup/hooks/lib/pod.ts';
import { readReport } from '../../examples/310-backup/hooks/lib/report.ts';
import { type Backup, secondsOf } from '../../examples/310-backup/hooks/lib/spec.ts';
import { openWorld } from '../../src/testing/index.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { quietDay } from './kit/quiet-day.ts';
import { rights } from './kit/rights.ts';
import { leavesOf } from './kit/schema-leaves.ts';
import { twoVersions } from './kit/two-versions.ts';

const folder = join(examplesDir, '310-backup');
const hooks = [join(folder, 'hooks', 'backup.ts')];
const definition = join(folder, 'manifests', 'crd.yaml');
const [BASE = {}] = readManifests(join(folder, 'manifests', 'try', 'backup.yaml'));
const RECIPIENT = `age1${'q'.repeat(58)}`;

function withSource(source: JsonObject, more: JsonObject = {}): JsonObject {
  const destination = { bucket: 'backups', secretName: 's3' };
  const metadata = { name: 'app', namespace: 'default' };
  return { ...BASE, metadata, spec: { schedule: '@daily', source, destination, ...more } };
}

const REDIS = withSource({ redis: { host: 'redis' } });
const DRILLED = withSource({ redis: { host: 'redis' } }, { drill: { schedule: '@weekly', query: 'DBSIZE' } });
const COMMAND = withSource({ command: { command: ['mysqldump'] } });

/** Two values for the fields that take words of a form of their own. */
const VALUES = {
  'spec.schedule': ['0 4 * * *', '@hourly'],
  'spec.timeZone': ['Europe/Berlin', 'Asia/Tokyo'],
  'spec.source.postgresql.host': ['a', 'b'],
  'spec.source.postgresql.database': ['a', 'b'],
  'spec.source.postgresql.secretName': ['a', 'b'],
  'spec.source.redis.host': ['a', 'b'],
  'spec.source.redis.secretName': ['a', 'b'],
  'spec.source.etcd.endpoints[]': ['http://a:2379', 'http://b:2379'],
  'spec.source.etcd.secretName': ['a', 'b'],
  'spec.source.etcd.tlsSecretName': ['a', 'b'],
  'spec.source.volume.claimName': ['a', 'b'],
  'spec.source.volume.path': ['a', 'b/c'],
  'spec.source.command.image': ['a', 'b'],
  'spec.source.command.command[]': ['a', 'b'],
  'spec.source.command.check[]': ['a', 'b'],
  'spec.source.command.secretName': ['a', 'b'],
  'spec.destination.endpoint': ['http://a', 'http://b'],
  'spec.destination.region': ['a', 'b'],
  'spec.destination.bucket': ['aaa', 'bbb'],
  'spec.destination.prefix': ['a', 'b/c'],
  'spec.destination.folder': ['a', 'b/c'],
  'spec.destination.secretName': ['a', 'b'],
  'spec.destination.takeOver': ['a', 'b'],
  'spec.drill.schedule': ['@daily', '@monthly'],
  'spec.drill.query': ['a', 'b'],
  'spec.drill.expect': ['1', '2'],
  'spec.drill.minimum': [2, 3],
  'spec.encryption.recipients[]': [RECIPIENT, RECIPIENT.replace(/q$/, 'p')],
  'spec.encryption.identitySecretName': ['a', 'b'],
  'spec.startTimeout': ['5m', '1h'],
  'spec.deadline': ['1h', '90m'],
  'spec.lockTimeout': ['3m', '4m'],
  'spec.room.memory': ['1Gi', '3Gi'],
  'spec.room.disk': ['1Gi', '3Gi'],
} as const;

describe('each field of a Backup, set, changed and removed', { timeout: 600_000 }, () => {
  it('has an effect on its CronJobs, or is refused, in 43 fields, but those that matter at one moment alone', async () => {
    const identity = { encryption: { recipients: [RECIPIENT], identitySecretName: 'age' } };
    const swept = await fieldSweep({
      world: { hooks },
      definition,
      base: REDIS,
      bases: {
        'spec.source.postgresql': withSource({ postgresql: { host: 'a', database: 'b', secretName: 'c' } }),
        'spec.source.etcd': withSource({ etcd: { endpoints: ['http://etcd:2379'] } }),
        'spec.source.volume': withSource({ volume: { claimName: 'data' } }),
        'spec.source.command': COMMAND,
        'spec.drill': DRILLED,
        'spec.encryption': withSource({ redis: { host: 'redis' } }, { drill: { schedule: '@weekly' }, ...identity }),
      },
      values: VALUES,
      settle: async (world) => void (await world.tick('1m')),
    });

    // They count when a Pod does not begin, and when the Backup is deleted: stories show both.
    const atOneMoment = /^spec\.(?:startTimeout|deletionPolicy): /;
    expect(withoutEffect(swept).filter((line) => !atOneMoment.test(line))).toEqual([]);
    expect(new Set(swept.map(({ path }) => path)).size).toBe(43);
  });
});

const MONTHLY: JsonObject = { ...BASE, spec: { ...objectAt(BASE, 'spec'), schedule: '0 3 1 * *', drill: null } };
const WORLD = { hooks, crds: definition, objects: [MONTHLY], clock: '2026-03-01T12:00:00Z' };
const settle = async (): Promise<void> => {};

describe('a Backup at rest', { timeout: 120_000 }, () => {
  it('prometheus-operator#2950: is written nothing for in a quiet day, in which no tick comes', async () => {
    await using world = await openWorld(WORLD);

    expect(await quietDay(world, settle)).toEqual([]);
  });

  it('is written nothing for by another version of the operator', async () => {
    const { hooks: _, ...world } = WORLD;
    using copy = temporaryFolder();
    // Without the webhook, which decides nothing about what is there.
    cpSync(join(folder, 'hooks'), copy.path, { recursive: true, filter: (path) => !path.endsWith('-webhook.ts') });
    expect(await twoVersions({ hooks: copy.path, world, settle })).toEqual([]);
  });
});

it('the README has each field of the schema in its table', () => {
  const table = readFileSync(join(folder, 'README.md'), 'utf8');
  const [described = {}] = readManifests(definition);
  const names = leavesOf(described).map(({ path }) => path.replace('spec.', '').replace('[]', ''));

  const isThere = (name: string): boolean =>
    [name, name.replace(/^.*\./, '.')].some((word) => table.includes(`\`${word}\``));
  expect(names.length).toBe(43);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

describe('the rights of the installation', { timeout: 300_000 }, () => {
  it('are those that the hooks use in their stories', async () => {
    const files = readdirSync(join(folder, 'manifests')).filter((file) => /^(?:crd|rbac|deployment)/.test(file));
    const manifests = files.flatMap((file) => readManifests(join(folder, 'manifests', file)));
    const scenarios = [join(folder, 'scenarios')];

    expect(await rights({ hooks: join(folder, 'hooks'), manifests, scenarios })).toEqual([]);
  });
});

describe('a crontab', () => {
  const at = (text: string): number => Date.parse(text);
  it.each([
    ['0 3 * * *', 'Etc/UTC', '2026-03-01T03:00:00Z', '2026-03-02T03:00:00Z'],
    ['@daily', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T22:00:00Z'],
    ['*/20 8-9 * * mon-fri', 'Etc/UTC', '2026-03-06T09:40:00Z', '2026-03-09T08:00:00Z'],
    ['0 0 1 * sun', 'Etc/UTC', '2026-03-02T00:00:00Z', '2026-03-08T00:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z'],
    ['0 3 */10 * 1', 'Etc/UTC', '2026-01-01T03:00:00Z', '2026-01-05T03:00:00Z'],
    ['0 3 1,* * 1', 'Etc/UTC', '2026-01-01T00:00:00Z', '2026-01-05T03:00:00Z'],
    ['0 3 31 2 */2', 'Etc/UTC', '2026-02-01T04:00:00Z', '2026-02-03T03:00:00Z'],
    ['30 2 29 2 *', 'Etc/UTC', '2026-03-01T00:00:00Z', '2028-02-29T02:30:00Z'],
  ])('%j in %s is due after %s at %s', (schedule, zone, after, next) => {
    expect(nextTick(schedule, zone, at(after))).toBe(at(next));
  });

  it.each([
    ['0 3 31 2 *', /never comes/],
    ['0 3 30 feb *', /never comes/],
    ['* * * *', /4 field\(s\)/],
    ['61 * * * *', /"61" is not from 0 to 59/],
    ['5-1 * * * *', /ends before it begins/],
    ['*/0 * * * *', /is no crontab/],
    ['a,b * * * *', /is no crontab/],
    ['0 3 1-5-7 * *', /has more than one hyphen/],
    ['@Daily', /1 field\(s\)/],
    [' @daily', /1 field\(s\)/],
    ['@often', /1 field\(s\)/],
    ['', /1 field\(s\)/],
  ])('%j is none', (schedule, why) => {
    expect(whyNever(schedule, 'Etc/UTC', at('2026-03-01T00:00:00Z'))).toMatch(why);
  });
});

it('etcd-io PR#394: each documented form of a duration is read', () => {
  expect(['90s', '5m', '1h30m', '365h'].map(secondsOf)).toEqual([90, 300, 5400, 1_314_000]);
});

it('no text of a Backup has the value of a Secret put into it by Kubernetes', () => {
  const secret = '$(AWS_SECRET_ACCESS_KEY) $$';
  const words = { command: ['echo', secret], check: ['grep', secret], secretName: 'a' };
  const metadata = { name: 'app', namespace: 'default', uid: 'u', resourceVersion: '', creationTimestamp: '' };
  const backup: Backup = {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'Backup',
    metadata,
    spec: {
      schedule: '@daily',
      timeZone: 'Etc/UTC',
      suspend: false,
      source: { command: words },
      destination: {
        region: secret,
        bucket: secret,
        prefix: secret,
        folder: secret,
        secretName: 's3',
        takeOver: secret,
      },
      retention: { keep: 7, keepDays: 0 },
      verify: 'Restore',
      drill: { schedule: '@daily', query: secret, expect: secret },
      retries: 3,
      startTimeout: '10m',
      deadline: '6h',
      lockTimeout: '2m',
      room: { memory: '2Gi', disk: '20Gi' },
      deletionPolicy: 'Keep',
    },
  };
  const texts = JSON.stringify([podTemplate(backup, 'backup', 'i'), podTemplate(backup, 'drill', 'i')]);

  expect(texts.split('$$(AWS_SECRET_ACCESS_KEY) $$$$')).toHaveLength(15);
  expect(texts.replaceAll('$$', '')).not.toContain('$(');
});

describe('the report of a Job', { timeout: 60_000 }, () => {
  const run = (script: string): string => {
    using engines = temporaryFolder();
    mkdirSync(join(engines.path, 'redis'));
    writeFileSync(join(engines.path, 'redis', 'drill.sh'), script);
    const log = join(engines.path, 'log');
    const env = {
      ...process.env,
      ENGINES: engines.path,
      TERMINATION_LOG: log,
      BACKUP_SOURCE: 'redis',
      JOB_UID: 'u',
      JOB_NAME: 'j',
    };
    spawnSync('bash', [join(folder, 'job', 'run.sh'), 'drill'], { env });
    return readFileSync(log, 'utf8');
  };

  it('has at most 4096 bytes, whatever the database answers', () => {
    const answer = `"${'\\u0001\\u00fc'.repeat(4000)}"`;
    const message = run(
      `echo '{"name": "drill_answer", "set": 1, "value": ${answer}}' > "$METRICS_PATH"; printf 'ü%.0s' {1..9000}`,
    );

    expect(Buffer.byteLength(message)).toBeLessThan(4096);
    expect(JSON.parse(message)).toMatchObject({ outcome: 'succeeded' });
  });

  it('has at most 4096 bytes, however long the engine says why it failed', () => {
    const event = '{object: {reason: "BackupDrillFailed", message: ("\\"ü\\u0007" * 9000)}}';
    const message = run(`jq -n '${event}' > "$KUBERNETES_PATCH_PATH"; exit 1`);

    expect(Buffer.byteLength(message)).toBeLessThan(4096);
    expect(JSON.parse(message)).toMatchObject({ outcome: 'failed', reason: 'Failed' });
  });
});

describe('what a Pod leaves', () => {
  const ended = { container: 'engine', reason: 'Error', at: '' };
  const said = (fields: object): string => JSON.stringify({ format: 'example.hooklet.dev/report/v1', ...fields });

  it.each([
    ['nothing', 0, '', 'NoReport'],
    ['another language', 0, '[1, 2]', 'NoReport'],
    ['success and exit code 3, which is that of a partial result', 3, said({ outcome: 'succeeded' }), 'Unexpected'],
    ['a reason of two words', 1, said({ outcome: 'failed', reason: 'no way' }), 'Unexpected'],
    ['a reason', 1, said({ outcome: 'failed', reason: 'BucketMissing' }), 'BucketMissing'],
  ])('is no success: %s', (_, exitCode, message, reason) => {
    const report = readReport({ ...ended, exitCode, message });

    expect([report.reason, report.done]).toEqual([reason, undefined]);
  });

  it('is not believed in numbers and words that are none', () => {
    const words = { backup: '../../other', takenAt: 'now', verified: 'certainly', answer: 'x'.repeat(4000) };
    const message = said({
      outcome: 'succeeded',
      reason: 'Succeeded',
      bytes: -1,
      kept: 'many',
      seconds: 1e300,
      ...words,
    });

    expect(readReport({ ...ended, exitCode: 0, message }).done).toEqual({
      bytes: 0,
      kept: 0,
      seconds: 0,
      backup: '',
      takenAt: '',
      verified: '',
      answer: 'x'.repeat(200),
    });
  });

  it('of a command is no report, whatever it says', () => {
    const message = said({ outcome: 'succeeded', reason: 'Succeeded', backup: '20260301T030000Z-a', kept: 1 });

    for (const exitCode of [0, 1]) {
      const report = readReport({ ...ended, container: 'command', exitCode, message });
      expect([report.reason, report.done]).toEqual(['CommandFailed', undefined]);
      expect(report.message).toBe(`the command ended with exit code ${exitCode}: see the log of the container command`);
    }
  });

  it('moves no cursor of a terminal, and names fields of the Backup', () => {
    const message = said({
      outcome: 'failed',
      reason: 'TargetFull',
      message: 'full\u001b[2J:\n lower BACKUP_KEEP\u202e',
    });

    expect(readReport({ ...ended, exitCode: 1, message }).message).toBe('full [2J: lower spec.retention.keep');
  });
});
