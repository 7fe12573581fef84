import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { devOptions, peerOptions, startOptions } from '../../src/cli/options/options.ts';
import { optionNotes, resolveOptions } from '../../src/cli/options/resolve.ts';

const resolve = (flags: Readonly<Record<string, string | boolean>> = {}, env: Readonly<Record<string, string>> = {}) =>
  resolveOptions(startOptions, flags, env);

describe('the options of start', () => {
  it('have the documented defaults', () => {
    expect(resolve()).toEqual({
      hooksDir: 'hooks',
      httpTriggers: false,
      ui: false,
      uiAddress: '127.0.0.1',
      uiPort: 9116,
      uiHost: [],
      tmpDir: '/tmp/hooklet',
      listenAddress: '0.0.0.0',
      listenPort: 9115,
      metricsPrefix: 'hooklet_',
      kubeContext: '',
      kubeConfig: '',
      kubeClientQps: 0,
      kubeClientBurst: 10,
      fieldManager: '',
      namespace: '',
      webhookUrl: '',
      webhookCertificates: { type: 'auto' },
      webhookCaLifetimeMs: 63_072_000_000,
      webhookCertificateLifetimeMs: 7_776_000_000,
      admissionConfigurationName: 'shell-operator-hooks',
      admissionServiceName: 'shell-operator-validating-svc',
      admissionServerCert: '/validating-certs/tls.crt',
      admissionServerKey: '/validating-certs/tls.key',
      admissionCa: '/validating-certs/ca.crt',
      admissionClientCa: [],
      admissionFailurePolicy: 'Fail',
      admissionListenPort: 9680,
      admissionOwnNamespace: false,
      admissionListenAddress: '0.0.0.0',
      conversionServiceName: 'shell-operator-conversion-svc',
      conversionServerCert: '/conversion-certs/tls.crt',
      conversionServerKey: '/conversion-certs/tls.key',
      conversionCa: '/conversion-certs/ca.crt',
      conversionClientCa: [],
      conversionListenPort: 9681,
      conversionListenAddress: '0.0.0.0',
      dryRun: false,
      shadow: false,
      shadowAfterMs: 20_000,
      gracePeriodMs: 15_000,
      leaderElect: false,
      leaseName: 'hooklet',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      isSharded: false,
      shardsLeaseName: 'hooklet-shards',
      shardsServerSide: false,
      jobsListenPort: 9682,
      jobsListenAddress: '0.0.0.0',
      jobsServiceName: 'hooklet-jobs',
      jobsUrls: [],
      jobsImage: '',
      jobsMax: 10,
      jobsPerSecond: 1,
      workersAccounts: [{ name: 'hooklet-workers' }],
      workersSilenceMs: 15_000,
      pauseByNamespace: false,
      record: false,
      recordBytes: 67_108_864,
      logLevel: 'info',
      logFormat: 'auto',
      logProxyHookJson: false,
      logCompat: false,
      plainExitCodes: false,
      backgroundLimitMs: 600_000,
      debugUnixSocket: '',
      keepTmpFiles: false,
    });
  });

  it('have the defaults of shell-operator for names, logs and webhooks where it is called so', () => {
    const peer = resolveOptions(peerOptions, {}, {});

    expect(peer).toEqual({
      ...resolve(),
      metricsPrefix: 'shell_operator_',
      logCompat: true,
      admissionOwnNamespace: true,
    });
    expect(resolveOptions(peerOptions, {}, { HOOKLET_LOG_COMPAT: 'no' }).logCompat).toBe(false);
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
      object: '/ca.crt',
      undefined: 'file:/state',
    };
    const special: Readonly<Record<string, string>> = {
      logFormat: 'json',
      admissionFailurePolicy: 'Ignore',
      webhookUrl: 'https://host:9680',
      jobsUrls: 'https://host:9682',
      workersAccounts: 'other',
      webhookCertificates: 'self',
      debugHttpAddr: ':9650',
      recordBytes: '2Mi',
    };
    const text = key.endsWith('Ms') ? '30s' : (special[key] ?? samples[typeof spec.fallback]);

    const options: Readonly<Record<string, unknown>> = resolve({ [option.attributeName()]: text ?? '' });

    expect(options[key]).not.toBe(spec.fallback);
  });

  it('--shards-lease-name is as long as the names of Leases allow that begin with it', () => {
    const longest = 'a'.repeat(229);

    expect(resolve({ shardsLeaseName: longest }).shardsLeaseName).toBe(longest);
    expect(() => resolve({ shardsLeaseName: `${longest}a` })).toThrow('at most 229 small letters');
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
    ['SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX', 'my-op.x_', { metricsPrefix: 'my_op_x_' }],
    ['SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX', '1ü🙂_', { metricsPrefix: '____' }],
    ['HOOKLET_LOG_COMPAT', 'true', { logCompat: true }],
    ['KUBE_CONTEXT', 'dev', { kubeContext: 'dev' }],
    ['KUBE_CONFIG', '/k', { kubeConfig: '/k' }],
    ['KUBE_CLIENT_QPS', '2.5', { kubeClientQps: 2.5 }],
    ['KUBE_CLIENT_BURST', '3', { kubeClientBurst: 3 }],
    ['HOOKLET_GRACE_PERIOD', '1.5m', { gracePeriodMs: 90_000 }],
    ['HOOKLET_GRACE_PERIOD', '1h5m', { gracePeriodMs: 3_900_000 }],
    ['HOOKLET_GRACE_PERIOD', '0', { gracePeriodMs: 0 }],
    ['LOG_LEVEL', 'DEBUG', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'warning', { logLevel: 'warn' }],
    ['LOG_LEVEL', 'trace', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'fatal', { logLevel: 'error' }],
    ['LOG_LEVEL', 'loud', { logLevel: 'info' }],
    ['LOG_LEVEL', 'constructor', { logLevel: 'info' }],
    ['LOG_TYPE', 'json', { logFormat: 'json' }],
    ['LOG_TYPE', 'logfmt', { logFormat: 'text' }],
    ['LOG_TYPE', 'color', { logFormat: 'color' }],
    ['LOG_TYPE', 'anything', { logFormat: 'auto' }],
    ['KUBE_CLIENT_QPS', '-1', { kubeClientQps: 0 }],
    ['DEBUG_HTTP_SERVER_ADDR', '127.0.0.1:9651', { debugHttpAddr: { address: '127.0.0.1', port: 9651 } }],
    ['LOG_PROXY_HOOK_JSON', 'true', { logProxyHookJson: true }],
    ['DEBUG_UNIX_SOCKET', '/s', { debugUnixSocket: '/s' }],
    ['DEBUG_KEEP_TMP_FILES', 'yes', { keepTmpFiles: true }],
    ['DEBUG_KEEP_TMP_FILES', '0', { keepTmpFiles: false }],
    ['LOG_PROXY_HOOK_JSON', 'T', { logProxyHookJson: true }],
    ['LOG_PROXY_HOOK_JSON', 'f', { logProxyHookJson: false }],
  ])('%s=%s is understood', (name, value, expected) => {
    expect(resolve({}, { [name]: value })).toMatchObject(expected);
  });

  it('reports all bad values together, each with where it came from', () => {
    const bad = () => resolve({ listenPort: '-1' }, { HOOKLET_GRACE_PERIOD: 'soon', DEBUG_KEEP_TMP_FILES: 'maybe' });

    expect(bad).toThrow(UsageError);
    expect(bad).toThrow(
      [
        '--listen-port: got "-1", expected a whole number from 0 to 65535',
        'HOOKLET_GRACE_PERIOD: got "soon", expected a duration such as 500ms, 25s or 1h30m',
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

  it.each([
    ['bad-prefix_', 'bad_prefix_'],
    ['my-pre.fix-', 'my_pre_fix_'],
    ['1st_', '_st_'],
    ['a b', 'a_b'],
    ['', 'hooklet_'],
    ['app:x_', 'app:x_'],
  ])('the metrics of the prefix %j begin with %s', (prefix, taken) => {
    const env = { SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX: prefix };
    expect(resolve({}, env).metricsPrefix).toBe(taken);
  });

  it.each([
    [{ logLevel: 'loud' }, {}, ['--log-level: got "loud", expected one of debug, info, warn, error; it is info']],
    [{}, { LOG_TYPE: 'x' }, ['LOG_TYPE: got "x", expected one of auto, text, json, color; it is auto']],
    [{ prometheusMetricsPrefix: 'a-' }, {}, ['--prometheus-metrics-prefix: got "a-", metrics are called a_…']],
    [{ logLevel: 'warning', logFormat: 'logfmt' }, { LOG_LEVEL: 'loud' }, []],
  ])('%j with %j is noted as %j', (flags, env, notes) => {
    expect(optionNotes(startOptions, flags, env)).toEqual(notes);
  });

  it.each(['a/b', 'a b', 'x'.repeat(101)])('a field manager is not %j', (fieldManager) => {
    expect(() => resolve({ fieldManager })).toThrow('--field-manager: got');
  });

  it.each([
    ['127.0.0.1:9650', { address: '127.0.0.1', port: 9650 }],
    [':9650', { address: '127.0.0.1', port: 9650 }],
    ['[::1]:9650', { address: '::1', port: 9650 }],
    ['0.0.0.0:0', { address: '0.0.0.0', port: 0 }],
    ['', undefined],
  ])('--debug-http-addr %j is %j', (debugHttpAddr, address) => {
    expect(resolve({ debugHttpAddr }).debugHttpAddr).toEqual(address);
  });

  it.each(['9650', 'localhost', '127.0.0.1:99999', '::1:9650'])('--debug-http-addr %j is refused', (debugHttpAddr) => {
    expect(() => resolve({ debugHttpAddr })).toThrow('expected HOST:PORT, or :PORT for this machine alone');
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
