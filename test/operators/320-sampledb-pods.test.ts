import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingsOf } from '../../examples/320-sampledb/hooks/lib/pod.ts';
import type { SampleDB } from '../../examples/320-sampledb/hooks/lib/spec.ts';
import { examplesDir } from '../support/example-rig.ts';

const scripts = join(examplesDir, '320-sampledb', 'hooks', 'lib', 'scripts');

function databaseWith(settings: Readonly<Record<string, string>>): SampleDB {
  const spec = {
    version: '17',
    database: 'app',
    secretName: 'passwords',
    storage: { size: '1Gi' },
    backup: { size: '1Gi', keep: 7, suspend: false },
    settings,
    onDelete: 'Snapshot',
    jobTimeoutSeconds: 3600,
  } as const;
  const kind = { apiVersion: 'example.hooklet.dev/v1', kind: 'SampleDB' };
  return { ...kind, metadata: { name: 'shop', uid: '', resourceVersion: '', creationTimestamp: '' }, spec };
}

it('no setting has a password put into it by Kubernetes', () => {
  const settings = { work_mem: '$(ADMIN_PASSWORD)', search_path: '"$user", public' };

  expect(settingsOf(databaseWith(settings))).toEqual([
    '-c',
    'search_path="$$user", public',
    '-c',
    'work_mem=$$(ADMIN_PASSWORD)',
  ]);
});

it.each([
  ['with a newline at its end, as of a file, is that without it', 'ab c\n', 'ab c', ''],
  ['of two lines is refused with a sentence', 'a\nb', '', 'the key adminPassword of the Secret must have one line'],
  ['of nothing is refused with a sentence', '\n', '', 'the key adminPassword of the Secret must have one line'],
])('a password %s', (...[, password, read, told]) => {
  const env = { ...process.env, ADMIN_PASSWORD: password };
  const script = `. '${scripts}/common.sh'; printf %s "$ADMIN_PASSWORD"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });

  expect([stdout, stderr]).toEqual([read, expect.stringContaining(told)]);
});
