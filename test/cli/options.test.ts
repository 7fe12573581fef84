import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { devOptions, resolveOptions, startOptions } from '../../src/cli/options.ts';

const resolve = (flags: Readonly<Record<string, string | boolean>> = {}, env: Readonly<Record<string, string>> = {}) =>
  resolveOptions(startOptions, flags, env);

describe('the options of start', () => {
  it('have the documented defaults', () => {
    expect(resolve()).toEqual({
      hooksDir: 'hooks',
      tmpDir: '/tmp/hooklet',
      listenAddress: '0.0.0.0',
      listenPort: 9115,
      metricsPrefix: 'shell_operator_',
      kubeContext: '',
      kubeConfig: '',
      kubeClientQps: 0,
      kubeClientBurst: 10,
      gracePeriodMs: 15_000,
      leaderElect: false,
      leaseName: 'hooklet',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      pauseByNamespace: false,
      logLevel: 'info',
      logFormat: 'auto',
      logProxyHookJson: false,
      plainExitCodes: false,
      debugUnixSocket: '',
      keepTmpFiles: false,
    });
  });

  it('are taken from the flag, then our variable, then that of shell-operator, then the default', () => {
    const peer = { SHELL_OPERATOR_HOOKS_DIR: '/peer' };
    const ours = { ...peer, HOOKLET_HOOKS_DIR: '/ours' };

    expect(resolve({ hooksDir: '/flag' }, ours).hooksDir).toBe('/flag');
    expect(resolve({}, ours).hooksDir).toBe('/ours');
    expect(resolve({}, peer).hooksDir).toBe('/peer');
    expect(resolve({}, { HOOKLET_HOOKS_DIR: '' }).hooksDir).toBe('hooks');
  });

  it.each(Object.entries(startOptions))('%s is set by its flag, under the name the parser gives it', (key, spec) => {
    const option = new Option(spec.flag);
    const samples: Readonly<Record<string, string>> = {
      number: '3',
      boolean: 'true',
      string: 'warn',
      undefined: 'file:/state',
    };
    const text = key.endsWith('Ms') ? '3s' : key === 'logFormat' ? 'json' : samples[typeof spec.fallback];

    const options: Readonly<Record<string, unknown>> = resolve({ [option.attributeName()]: text ?? '' });

    expect(options[key]).not.toBe(spec.fallback);
  });

  it.each([
    ['configmap', { type: 'configMap', name: 'hooklet-schedules', isForced: true }],
    ['configmap/backups', { type: 'configMap', name: 'backups', isForced: true }],
    ['file:/state/schedules.json', { type: 'file', path: '/state/schedules.json', isForced: true }],
    ['', undefined],
  ])('--schedule-state %j is %j', (text, place) => {
    expect(resolve({ scheduleState: text }).scheduleState).toEqual(place);
  });

  it.each(['ConfigMap', 'configmap/', 'configmap/Upper', 'file:', 'redis:x'])(
    '--schedule-state %j is refused',
    (text) => {
      expect(() => resolve({ scheduleState: text })).toThrow(
        `--schedule-state: got "${text}", expected configmap, configmap/<name> or file:<path>`,
      );
    },
  );

  it.each([
    ['SHELL_OPERATOR_TMP_DIR', '/t', { tmpDir: '/t' }],
    ['SHELL_OPERATOR_LISTEN_ADDRESS', '::1', { listenAddress: '::1' }],
    ['SHELL_OPERATOR_LISTEN_PORT', '80', { listenPort: 80 }],
    ['SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX', 'x_', { metricsPrefix: 'x_' }],
    ['KUBE_CONTEXT', 'dev', { kubeContext: 'dev' }],
    ['KUBE_CONFIG', '/k', { kubeConfig: '/k' }],
    ['KUBE_CLIENT_QPS', '2.5', { kubeClientQps: 2.5 }],
    ['KUBE_CLIENT_BURST', '3', { kubeClientBurst: 3 }],
    ['HOOKLET_GRACE_PERIOD', '1.5m', { gracePeriodMs: 90_000 }],
    ['HOOKLET_GRACE_PERIOD', '1h5m', { gracePeriodMs: 3_900_000 }],
    ['HOOKLET_GRACE_PERIOD', '0', { gracePeriodMs: 0 }],
    ['LOG_LEVEL', 'DEBUG', { logLevel: 'debug' }],
    ['LOG_TYPE', 'json', { logFormat: 'json' }],
    ['LOG_PROXY_HOOK_JSON', 'true', { logProxyHookJson: true }],
    ['DEBUG_UNIX_SOCKET', '/s', { debugUnixSocket: '/s' }],
    ['DEBUG_KEEP_TMP_FILES', 'yes', { keepTmpFiles: true }],
    ['DEBUG_KEEP_TMP_FILES', '0', { keepTmpFiles: false }],
  ])('%s=%s is understood', (name, value, expected) => {
    expect(resolve({}, { [name]: value })).toMatchObject(expected);
  });

  it('reports all bad values together, each with where it came from', () => {
    const bad = () => resolve({ listenPort: '-1' }, { LOG_LEVEL: 'loud', DEBUG_KEEP_TMP_FILES: 'maybe' });

    expect(bad).toThrow(UsageError);
    expect(bad).toThrow(
      [
        '--listen-port: got "-1", expected a whole number from 0 to 65535',
        'LOG_LEVEL: got "loud", expected one of debug, info, warn, error',
        'DEBUG_KEEP_TMP_FILES: got "maybe", expected true or false',
      ].join('\n'),
    );
  });

  it.each(['1.5', '65536', 'x', ' '])('a port is not %j', (port) => {
    expect(() => resolve({ listenPort: port })).toThrow(UsageError);
  });

  it.each(['-5s', '5', '5 s', '1d', ''])('a duration is not %j', (gracePeriod) => {
    expect(() => resolve({ gracePeriod })).toThrow('expected a duration such as 500ms, 25s or 1h30m');
  });

  it.each(['bad-prefix_', '1st_', 'a b'])('refuses the prefix %j, with which no metric could be named', (prefix) => {
    const bad = () => resolve({ prometheusMetricsPrefix: prefix });

    expect(bad).toThrow(`--prometheus-metrics-prefix: got "${prefix}", expected letters, digits, "_" and ":"`);
  });

  it('every one has a variable of ours that is named like its flag', () => {
    for (const { flag, env } of Object.values(startOptions)) {
      const words = flag.replace(/^--/, '').replace(/ .*/, '');
      expect(env[0]).toBe(`HOOKLET_${words.replaceAll('-', '_').toUpperCase()}`);
    }
  });
});

describe('the options of dev', () => {
  it('stay off the network, and take a free port and a folder of their own', () => {
    const { listenAddress, listenPort, tmpDir } = resolveOptions(devOptions, {}, {});

    expect([listenAddress, listenPort, tmpDir]).toEqual(['127.0.0.1', 0, '']);
  });

  it('listen to the environment too', () => {
    expect(resolveOptions(devOptions, {}, { HOOKLET_LISTEN_PORT: '9115' }).listenPort).toBe(9115);
  });
});
