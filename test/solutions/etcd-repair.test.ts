import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import hook from '../../solutions/etcd-repair/hooks/etcd-repair.ts';
import { etcdError } from '../../solutions/etcd-repair/hooks/lib/etcd.ts';
import { readSettings, VARIABLES } from '../../solutions/etcd-repair/hooks/lib/settings.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { describeEnvironment } from '../../src/sdk/index.ts';
import { runProgram } from '../support/program.ts';
import { solutionsDir } from '../support/solutions.ts';

const folder = join(solutionsDir, 'etcd-repair');
const WRONG = {
  ETCD_STATEFULSET: 'my etcd',
  ETCD_DOMAIN: 'etcd.db.svc:2379',
  REPAIR_CRONTAB: 'every minute',
  ETCD_CLIENT_PORT: '65536',
  ETCD_TIMEOUT_SECONDS: '86401',
  REPAIR_MIN_MEMBERS: '2',
  REPAIR_AFTER_SECONDS: '5m',
  ETCD_PEER_SCHEME: 'tcp',
  ETCDCTL_CACERT: '/no/such/ca.crt',
};
const PROBLEMS = {
  ETCD_STATEFULSET:
    'is "my etcd"; expected a text, of the form [a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?: the name of an object',
  ETCD_DOMAIN: 'is "etcd.db.svc:2379"; expected a text, of the form [A-Za-z0-9.-]{1,253}: a domain such as etcd.db.svc',
  REPAIR_CRONTAB: 'is "every minute"; expected a text, of the form',
  ETCD_CLIENT_PORT: 'is "65536"; expected a whole number from 1 to 65535',
  ETCD_TIMEOUT_SECONDS: 'is "86401"; expected a whole number from 1 to 86400',
  ETCD_PEER_SCHEME: 'is "tcp"; expected http or https',
  REPAIR_AFTER_SECONDS: 'is "5m"; expected a whole number from 1 to 999999999',
  REPAIR_MIN_MEMBERS: 'is "2"; expected a whole number from 3 to 999999999',
  ETCDCTL_CACERT:
    'is "/no/such/ca.crt", and it is not there; expected the absolute path of a file that can be read: mount the Secret with the certificates there',
};

const read = (...path: readonly string[]): string => readFileSync(join(folder, ...path), 'utf8');

describe('the repair of etcd members', () => {
  it('has a config without a problem', () => {
    const { config } = hook;

    expect(parseConfig(JSON.stringify(config), () => undefined)).toMatchObject({ type: 'valid' });
  });

  it('says all that is wrong with its settings at once', async () => {
    const { exitCode, stdout } = await runProgram(['check', join(folder, 'hooks')], { env: WRONG });

    expect(exitCode).toBe(1);
    expect(Object.entries(PROBLEMS).filter(([name, said]) => !stdout.includes(`${name}: ${said}`))).toEqual([]);
    expect(stdout).toContain(`${Object.keys(PROBLEMS).length} problem`);
  });

  it('has every setting in its README, with its default', () => {
    const [, readme = ''] = read('README.md').split('## Settings\n');
    const settings = describeEnvironment(VARIABLES);

    expect(settings.length).toBeGreaterThan(20);
    for (const { name, default: byDefault } of settings) {
      const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row, name).toContain(byDefault === '' ? name : `\`${byDefault}\``);
    }
  });

  it('takes an empty setting as one that is not set, and a certificate from its own folder', () => {
    const cwd = process.cwd();
    process.chdir(join(folder, 'hooks'));
    try {
      expect(readSettings({ REPAIR_MIN_MEMBERS: '', ETCD_DOMAIN: '', ETCDCTL_CERT: 'etcd-repair.ts' })).toMatchObject({
        minMembers: 3,
        domain: undefined,
      });
    } finally {
      process.chdir(cwd);
    }
  });

  it('asks etcd over HTTP at the client port, unless another is set', () => {
    expect(readSettings({ ETCD_CLIENT_PORT: '12379' }).httpPort).toBe(12_379);
    expect(readSettings({ ETCD_HTTP_PORT: '8080' })).toMatchObject({ clientPort: 2379, httpPort: 8080 });
    expect(read('README.md')).toContain('| `ETCD_HTTP_PORT` | `ETCD_CLIENT_PORT` |');
  });

  it('has every reason to refuse, and every way a repair ends, in its README', () => {
    const readme = read('README.md');
    const sources = readdirSync(join(folder, 'hooks', 'lib')).map((file) => read('hooks', 'lib', file));
    const said = sources
      .join('\n')
      .matchAll(
        /(?:(?:refuse|refuseData|abandon)\(\s*|whenLasting\(\s*turn,\s*|event\(\s*'\w+',\s*|reason: )'([A-Z]\w+)'/g,
      );
    const reasons = [...said].map(([, reason = '']) => reason);

    expect(new Set(reasons).size).toBeGreaterThan(15);
    expect(reasons.filter((reason) => !readme.includes(`\`${reason}\``))).toEqual([]);
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
