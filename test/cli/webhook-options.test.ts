import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { webhookOptions, webhookSettings } from '../../src/cli/options/webhook-options.ts';

const settings = (env: Readonly<Record<string, string>>) => webhookSettings(resolveOptions(webhookOptions, {}, env));

describe('the settings of webhooks', () => {
  it('are those of shell-operator by default', () => {
    expect(settings({})).toEqual({
      namespace: '',
      url: '',
      certificates: { type: 'auto' },
      authorityMs: 63_072_000_000,
      leafMs: 7_776_000_000,
      admission: {
        configurationName: 'shell-operator-hooks',
        serviceName: 'shell-operator-validating-svc',
        serverCert: '/validating-certs/tls.crt',
        serverKey: '/validating-certs/tls.key',
        ca: '/validating-certs/ca.crt',
        clientCa: [],
        failurePolicy: 'Fail',
        matchOwnNamespace: false,
        listenPort: 9680,
        listenAddress: '0.0.0.0',
      },
      conversion: {
        serviceName: 'shell-operator-conversion-svc',
        serverCert: '/conversion-certs/tls.crt',
        serverKey: '/conversion-certs/tls.key',
        ca: '/conversion-certs/ca.crt',
        clientCa: [],
        listenPort: 9681,
        listenAddress: '0.0.0.0',
      },
    });
  });

  it.each([
    ['SHELL_OPERATOR_NAMESPACE', 'ns', { namespace: 'ns' }],
    ['VALIDATING_WEBHOOK_CONFIGURATION_NAME', 'x', { admission: { configurationName: 'x' } }],
    ['VALIDATING_WEBHOOK_SERVICE_NAME', 'x', { admission: { serviceName: 'x' } }],
    ['VALIDATING_WEBHOOK_SERVER_CERT', '/x', { admission: { serverCert: '/x' } }],
    ['VALIDATING_WEBHOOK_SERVER_KEY', '/x', { admission: { serverKey: '/x' } }],
    ['VALIDATING_WEBHOOK_CA', '/x', { admission: { ca: '/x' } }],
    ['VALIDATING_WEBHOOK_CLIENT_CA', '/a, /b,', { admission: { clientCa: ['/a', '/b'] } }],
    ['VALIDATING_WEBHOOK_FAILURE_POLICY', 'Ignore', { admission: { failurePolicy: 'Ignore' } }],
    ['VALIDATING_WEBHOOK_LISTEN_PORT', '9181', { admission: { listenPort: 9181 } }],
    ['VALIDATING_WEBHOOK_LISTEN_ADDRESS', '1.2.3.4', { admission: { listenAddress: '1.2.3.4' } }],
    ['CONVERSION_WEBHOOK_SERVICE_NAME', 'x', { conversion: { serviceName: 'x' } }],
    ['CONVERSION_WEBHOOK_SERVER_CERT', '/x', { conversion: { serverCert: '/x' } }],
    ['CONVERSION_WEBHOOK_SERVER_KEY', '/x', { conversion: { serverKey: '/x' } }],
    ['CONVERSION_WEBHOOK_CA', '/x', { conversion: { ca: '/x' } }],
    ['CONVERSION_WEBHOOK_CLIENT_CA', '/a', { conversion: { clientCa: ['/a'] } }],
    ['CONVERSION_WEBHOOK_LISTEN_PORT', '9182', { conversion: { listenPort: 9182 } }],
    ['CONVERSION_WEBHOOK_LISTEN_ADDRESS', '5.6.7.8', { conversion: { listenAddress: '5.6.7.8' } }],
  ])('%s=%s is understood', (name, value, expected) => {
    expect(settings({ [name]: value })).toMatchObject(expected);
    expect(settings({ [name]: 'not this', [`HOOKLET_${name.replace('SHELL_OPERATOR_', '')}`]: value })).toMatchObject(
      expected,
    );
  });

  it.each([
    ['WEBHOOK_URL', 'https://10.0.0.1:9680/', { url: 'https://10.0.0.1:9680' }],
    ['WEBHOOK_CERTIFICATES', 'secret/tls', { certificates: { type: 'secret', name: 'tls' } }],
    ['WEBHOOK_CA_LIFETIME', '1h', { authorityMs: 3_600_000 }],
    ['WEBHOOK_CERTIFICATE_LIFETIME', '1m', { leafMs: 60_000 }],
  ])('HOOKLET_%s=%s is understood', (name, value, expected) => {
    expect(settings({ [`HOOKLET_${name}`]: value })).toMatchObject(expected);
  });

  it.each(['http://host', 'host:9680', 'https://user@host', 'https://host?x', 'https://host#x', 'x'])(
    'a URL of webhooks is not %s',
    (url) => {
      expect(() => settings({ HOOKLET_WEBHOOK_URL: url })).toThrow('expected a URL such as https://host:9680');
    },
  );

  it.each(['9s', '0', 'long'])('a lifetime is not %s', (lifetime) => {
    expect(() => settings({ HOOKLET_WEBHOOK_CA_LIFETIME: lifetime })).toThrow('HOOKLET_WEBHOOK_CA_LIFETIME: got');
  });

  it.each(['fail', 'ignore', 'None'])('a failurePolicy is not %s', (policy) => {
    expect(() => settings({ VALIDATING_WEBHOOK_FAILURE_POLICY: policy })).toThrow('expected Fail or Ignore');
  });
});
