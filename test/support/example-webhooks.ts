import type { JsonObject, ResolveService } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import type { ConversionSettings, WebhookSettings } from '../../src/operator/webhooks/settings.ts';
import { freePorts } from '../cluster/free-ports.ts';

/** How the webhooks of an example are served and found. */
export interface ExampleWebhooks {
  readonly settings: WebhookSettings;
  readonly resolveService: ResolveService;
}

const ADMISSION_PORT = 9680;
const CONVERSION_PORT = 9681;
const HOUR_MS = 3_600_000;

/**
 * Serves webhooks as manifests say, with certificates that hooklet makes: a Service is found by its selector and its
 * port, and each port of the container is a free one of 127.0.0.1.
 */
export async function exampleWebhooks(
  manifests: readonly JsonObject[],
  env: Readonly<Record<string, string>>,
): Promise<ExampleWebhooks> {
  const [admissionPort = 0, conversionPort = 0] = await freePorts(2);
  const ports = new Map([
    [ADMISSION_PORT, admissionPort],
    [CONVERSION_PORT, conversionPort],
  ]);
  const admission = server(env['HOOKLET_VALIDATING_WEBHOOK_SERVICE_NAME'], admissionPort);
  const conversion = server(env['HOOKLET_CONVERSION_WEBHOOK_SERVICE_NAME'], conversionPort);
  const configurationName = env['HOOKLET_VALIDATING_WEBHOOK_CONFIGURATION_NAME'] ?? 'shell-operator-hooks';
  return {
    settings: {
      namespace: '',
      url: '',
      certificates: { type: 'self' },
      authorityMs: 48 * HOUR_MS,
      leafMs: 24 * HOUR_MS,
      admission: { ...admission, configurationName, failurePolicy: 'Fail', matchOwnNamespace: false },
      conversion,
    },
    resolveService: (namespace, name, port) => {
      const found = ports.get(containerPort(manifests, { namespace, name, port }));
      return found === undefined ? undefined : `https://127.0.0.1:${found}`;
    },
  };
}

/** Whether a container of these manifests serves webhooks. */
export function hasWebhooks(manifests: readonly JsonObject[]): boolean {
  const ports = manifests.flatMap(containerPorts).map((port) => port['containerPort']);
  return ports.includes(ADMISSION_PORT) || ports.includes(CONVERSION_PORT);
}

function server(serviceName = '', listenPort: number): ConversionSettings {
  return {
    serviceName,
    serverCert: '',
    serverKey: '',
    ca: '',
    clientCa: [],
    listenPort,
    listenAddress: '127.0.0.1',
  };
}

interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The port of the container behind a Service; 0 where there is none. */
function containerPort(manifests: readonly JsonObject[], { namespace, name, port }: ServicePort): number {
  const isIn = (object: JsonObject): boolean => textAt(object, 'metadata', 'namespace') === namespace;
  const service = manifests.find(
    (object) => object['kind'] === 'Service' && isIn(object) && textAt(object, 'metadata', 'name') === name,
  );
  const selector = Object.entries(objectAt(service, 'spec', 'selector'));
  const target = objectsAt(service, 'spec', 'ports').find((entry) => entry['port'] === port);
  const pods = manifests.filter((object) => {
    const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels');
    return isIn(object) && selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
  });
  const found = pods.flatMap(containerPorts).find((entry) => entry['name'] === target?.['targetPort']);
  return Number(found?.['containerPort'] ?? 0);
}

function containerPorts(deployment: JsonObject): readonly JsonObject[] {
  return objectsAt(deployment, 'spec', 'template', 'spec', 'containers').flatMap((one) => objectsAt(one, 'ports'));
}
