import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import hook from '../../examples/120-etcd-member-repair/typescript/hooks/etcd-repair.ts';
import { etcdError } from '../../examples/120-etcd-member-repair/typescript/hooks/lib/etcd.ts';
import { readState, writeState } from '../../examples/120-etcd-member-repair/typescript/hooks/lib/record.ts';
import { readSettings } from '../../examples/120-etcd-member-repair/typescript/hooks/lib/settings.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { examplesDir } from '../support/example-rig.ts';

const folder = join(examplesDir, '120-etcd-member-repair');
const WRONG = {
  ETCD_CLIENT_PORT: 'etcd',
  REPAIR_MIN_MEMBERS: '2',
  REPAIR_AFTER_SECONDS: '5m',
  ETCD_PEER_SCHEME: 'tcp',
  ETCDCTL_CACERT: '/no/such/ca.crt',
};
const PROBLEMS = [
  'ETCD_CLIENT_PORT is "etcd", expected a whole number, at least 1',
  'ETCD_PEER_SCHEME is "tcp", expected http or https',
  'ETCDCTL_CACERT is "/no/such/ca.crt", which cannot be read: mount the Secret with the certificates there',
  'REPAIR_AFTER_SECONDS is "5m", expected a whole number, at least 1',
  'REPAIR_MIN_MEMBERS is "2", expected a whole number, at least 3',
];

/** Prints the config of the shell hook, or throws with what it printed to standard error. */
function shellConfig(env: Readonly<Record<string, string>> = {}): string {
  const options = { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync(join(folder, 'hooks', 'etcd-repair.sh'), ['--config'], options);
}

/** White space means nothing in a filter. */
function condensed(config: unknown): unknown {
  return JSON.parse(
    JSON.stringify(config, (_, value: unknown) =>
      typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value,
    ),
  );
}

describe('the repair of etcd members', () => {
  it('has a config without a problem, in shell', () => {
    expect(parseConfig(shellConfig(), () => undefined)).toMatchObject({ type: 'valid' });
  });

  it('is bound to the same in shell and in TypeScript', () => {
    const { schedule, kubernetes } = parse(shellConfig()) as {
      readonly schedule: readonly object[];
      readonly kubernetes: readonly object[];
    };

    const typescript = JSON.parse(JSON.stringify(hook.config)) as {
      readonly schedule: readonly object[];
      readonly kubernetes: readonly object[];
    };
    const own = (bindings: readonly object[]): unknown =>
      condensed(bindings.map((binding) => ({ ...binding, includeSnapshotsFrom: undefined })));
    expect(own(schedule)).toEqual(own(typescript.schedule));
    expect(own(kubernetes)).toEqual(own(typescript.kubernetes));
  });

  it('says all that is wrong with its settings at once, in the same words', () => {
    let said = '';
    try {
      shellConfig(WRONG);
    } catch (error) {
      said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    }

    expect(said.trim().split('\n').toSorted()).toEqual(PROBLEMS.toSorted());
    expect(() => readSettings(WRONG)).toThrow(
      expect.objectContaining({
        message: expect.toSatisfy((text: string) => PROBLEMS.every((one) => text.includes(one))),
      }),
    );
  });

  it('has every setting in its README, with its default', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    const source = readFileSync(join(folder, 'hooks', 'lib', 'etcd-settings.sh'), 'utf8');
    const settings = [...source.matchAll(/^\w+=\$\{(\w+):-(.*)\}$/gm)];

    expect(settings.length).toBeGreaterThan(15);
    for (const [, name = '', value = ''] of settings) {
      const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row, name).toContain(value);
    }
  });

  it('has every reason to refuse, and every way a repair ends, in its README', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    const sources = ['etcd-repair', 'lib/etcd-guards', 'lib/etcd-steps'].map((part) =>
      readFileSync(join(folder, 'hooks', `${part}.sh`), 'utf8'),
    );
    const said = sources.join('\n').matchAll(/(?:refuse|abandon|event Normal|event Warning) ([A-Z]\w+)/g);
    const reasons = [...said].map(([, reason = '']) => reason);

    expect(new Set(reasons).size).toBeGreaterThan(10);
    expect(reasons.filter((reason) => !readme.includes(`\`${reason}\``))).toEqual([]);
  });
});

describe('the state of a repair', () => {
  it('is what was written, and nothing where there is nothing to keep', () => {
    const at = '2026-01-01T00:00:00Z';
    const news = [{ name: 'etcd.1', type: 'Warning', reason: 'NoSpace', message: 'no space', at }] as const;
    const state = { unhealthy: { 'etcd-1': at }, repair: undefined, told: 'NoSpace', news };

    expect(readState(writeState(state))).toEqual(state);
    expect(writeState({ unhealthy: {}, repair: undefined, told: '', news: [] })).toBe('');
  });

  it('is none where somebody wrote something else', () => {
    expect(readState('by hand')).toEqual({ unhealthy: {}, repair: undefined, told: '', news: [] });
  });
});

describe('what etcdctl said', () => {
  it.each([
    [
      '{"level":"info","msg":"x"}\n{"level":"warn","error":"rpc error: code = Unavailable desc = \\"no\\""}\n',
      'rpc error: code = Unavailable desc = "no"',
    ],
    [
      '{"level":"warn","error":"rpc error: desc = latest balancer error: connection error: desc = \\"expired\\""}\nFailed (deadline)\n',
      'Failed (deadline): expired',
    ],
    ['{"level":"warn","error":"a"}\nError: etcdserver: unhealthy cluster\n', 'Error: etcdserver: unhealthy cluster'],
  ])('of %j is %j', (stderr, told) => {
    expect(etcdError(Object.assign(new Error('Command failed'), { stderr }))).toBe(told);
  });
});
