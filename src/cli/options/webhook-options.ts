import type { WebhookSettings } from '../../operator/webhooks/settings.ts';
import { parseCertificateChoice, type CertificateChoice } from '../../server/certificates/certificate-source.ts';
import { duration, flag, port, text, words, type OptionSpec } from './spec.ts';

/**
 * The options of webhooks, with the names and defaults of shell-operator: `--validating-webhook-…` for validating and
 * mutating webhooks, `--conversion-webhook-…` for conversions. `startOptions` contains them.
 */
export const webhookOptions = {
  namespace: text(
    '--namespace <name>',
    ['HOOKLET_NAMESPACE', 'SHELL_OPERATOR_NAMESPACE'],
    '',
    'namespace of the Services of webhooks',
  ),
  webhookUrl: {
    ...text(
      '--webhook-url <url>',
      ['HOOKLET_WEBHOOK_URL'],
      '',
      'where the API server calls webhooks, such as https://host:9680; else at their Services',
    ),
    parse: webhookUrl,
  },
  webhookCertificates: certificates(),
  webhookCaLifetimeMs: lifetime(
    '--webhook-ca-lifetime <duration>',
    names('WEBHOOK_CA_LIFETIME'),
    '17520h',
    'how long a certificate authority is valid that hooklet makes',
  ),
  webhookCertificateLifetimeMs: lifetime(
    '--webhook-certificate-lifetime <duration>',
    names('WEBHOOK_CERTIFICATE_LIFETIME'),
    '2160h',
    'how long a certificate of webhooks is valid that hooklet makes',
  ),
  admissionConfigurationName: text(
    '--validating-webhook-configuration-name <name>',
    names('VALIDATING_WEBHOOK_CONFIGURATION_NAME'),
    'shell-operator-hooks',
    'beginning of the name of the webhook configurations, which end with -hooks',
  ),
  admissionServiceName: serviceName('validating', 'shell-operator-validating-svc'),
  admissionServerCert: file('validating', ['server-cert', 'tls.crt', 'certificate of the server of webhooks']),
  admissionServerKey: file('validating', ['server-key', 'tls.key', 'its private key']),
  admissionCa: file('validating', ['ca', 'ca.crt', 'certificate that signed it']),
  admissionClientCa: clientCa('validating'),
  admissionFailurePolicy: failurePolicy(),
  admissionOwnNamespace: flag(
    '--validating-webhook-own-namespace',
    ['HOOKLET_VALIDATING_WEBHOOK_OWN_NAMESPACE'],
    'let webhooks judge the namespace of hooklet too, where their config has no matchOwnNamespace',
  ),
  admissionListenPort: port(
    '--validating-webhook-listen-port <port>',
    names('VALIDATING_WEBHOOK_LISTEN_PORT'),
    9680,
    'port of webhooks',
  ),
  admissionListenAddress: listenAddress('validating', 'address of webhooks'),
  conversionServiceName: serviceName('conversion', 'shell-operator-conversion-svc'),
  conversionServerCert: file('conversion', ['server-cert', 'tls.crt', 'certificate of the server of conversions']),
  conversionServerKey: file('conversion', ['server-key', 'tls.key', 'its private key']),
  conversionCa: file('conversion', ['ca', 'ca.crt', 'certificate that signed it']),
  conversionClientCa: clientCa('conversion'),
  conversionListenPort: port(
    '--conversion-webhook-listen-port <port>',
    names('CONVERSION_WEBHOOK_LISTEN_PORT'),
    9681,
    'port of conversions',
  ),
  conversionListenAddress: listenAddress('conversion', 'address of conversions'),
} as const;

type WebhookOptions = {
  readonly [K in keyof typeof webhookOptions]: (typeof webhookOptions)[K] extends OptionSpec<infer T> ? T : never;
};

/** The settings of webhooks as the operator takes them. */
export function webhookSettings(options: WebhookOptions): WebhookSettings {
  return {
    namespace: options.namespace,
    url: options.webhookUrl,
    certificates: options.webhookCertificates,
    authorityMs: options.webhookCaLifetimeMs,
    leafMs: options.webhookCertificateLifetimeMs,
    admission: {
      configurationName: options.admissionConfigurationName,
      serviceName: options.admissionServiceName,
      serverCert: options.admissionServerCert,
      serverKey: options.admissionServerKey,
      ca: options.admissionCa,
      clientCa: options.admissionClientCa,
      failurePolicy: options.admissionFailurePolicy,
      matchOwnNamespace: options.admissionOwnNamespace,
      listenPort: options.admissionListenPort,
      listenAddress: options.admissionListenAddress,
    },
    conversion: {
      serviceName: options.conversionServiceName,
      serverCert: options.conversionServerCert,
      serverKey: options.conversionServerKey,
      ca: options.conversionCa,
      clientCa: options.conversionClientCa,
      listenPort: options.conversionListenPort,
      listenAddress: options.conversionListenAddress,
    },
  };
}

type Kind = 'validating' | 'conversion';

function names(variable: string): readonly string[] {
  return [`HOOKLET_${variable}`, variable];
}

function namesOf(kind: Kind, words: string): readonly string[] {
  return names(`${kind}-webhook-${words}`.replaceAll('-', '_').toUpperCase());
}

function serviceName(kind: Kind, fallback: string): OptionSpec<string> {
  const description = `Service in front of ${kind === 'validating' ? 'webhooks' : 'conversions'}`;
  return text(`--${kind}-webhook-service-name <name>`, namesOf(kind, 'service-name'), fallback, description);
}

function file(
  kind: Kind,
  [flag, name, description]: readonly [flag: string, name: string, description: string],
): OptionSpec<string> {
  return text(`--${kind}-webhook-${flag} <file>`, namesOf(kind, flag), `/${kind}-certs/${name}`, description);
}

function clientCa(kind: Kind): OptionSpec<readonly string[]> {
  const description = 'accept only callers with a certificate that one of these signed; may be given several times';
  return words(`--${kind}-webhook-client-ca <file...>`, namesOf(kind, 'client-ca'), description);
}

function listenAddress(kind: Kind, description: string): OptionSpec<string> {
  return text(`--${kind}-webhook-listen-address <address>`, namesOf(kind, 'listen-address'), '0.0.0.0', description);
}

function failurePolicy(): OptionSpec<'Fail' | 'Ignore'> {
  const parse = (value: string): 'Fail' | 'Ignore' => {
    if (value === 'Fail' || value === 'Ignore') return value;
    throw new Error('Fail or Ignore');
  };
  return {
    flag: '--validating-webhook-failure-policy <policy>',
    env: names('VALIDATING_WEBHOOK_FAILURE_POLICY'),
    defaultText: 'Fail',
    description: 'failurePolicy of webhooks whose config has none: Fail or Ignore',
    parse,
    fallback: 'Fail',
  };
}

/** The API server takes no other form: https, a host, and what leads to the path of a webhook. */
function webhookUrl(value: string): string {
  if (value === '') return value;
  const url = URL.parse(value);
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain) return value.replace(/\/+$/, '');
  throw new Error('a URL such as https://host:9680, without a user, a query and a fragment');
}

function certificates(): OptionSpec<CertificateChoice> {
  return {
    flag: '--webhook-certificates <where>',
    env: names('WEBHOOK_CERTIFICATES'),
    defaultText: '',
    description:
      'certificate of webhooks: files, secret/<name> of somebody else, or self; else the files if they exist, and self',
    parse: parseCertificateChoice,
    fallback: { type: 'auto' },
  };
}

const MIN_LIFETIME_MS = 10_000;

/** The duration of something that is renewed when a third of it is left. */
function lifetime(...[flag, env, fallback, description]: Parameters<typeof duration>): OptionSpec<number> {
  const spec = duration(flag, env, fallback, description);
  return {
    ...spec,
    parse: (value) => {
      const parsed = spec.parse(value);
      if (parsed < MIN_LIFETIME_MS) throw new Error('a duration of 10s or more, such as 2160h');
      return parsed;
    },
  };
}
