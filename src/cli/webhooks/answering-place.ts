import type { KubeClient } from '../../kube/client.ts';
import { apiPath } from '../../kube/api-path.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import { probeHttps } from '../../lib/https-probe.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** Where the API server calls a webhook or a converter. */
export interface CalledPlace {
  readonly clientConfig: JsonObject;
  /** As PEM. */
  readonly bundle: string;
  /** A place that is a URL is asked by a GET: what the status of its answer says is wrong; undefined where it is fine. */
  readonly problemOfStatus: (status: number) => string | undefined;
}

interface Access {
  readonly client: Pick<KubeClient, 'request'>;
  readonly signal: AbortSignal;
}

const PROBE_LIMIT_MS = 5000;

/** A place for people. */
export function placeText(clientConfig: JsonObject): string {
  const service = serviceOf(clientConfig);
  return service === undefined ? text(clientConfig['url']) : `Service ${service.namespace}/${service.name}`;
}

/** Finds out whether the API server would get an answer; each place is asked once. */
export class AnsweringPlaces {
  readonly #io: Access;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(io: Access) {
    this.#io = io;
  }

  /** Why the API server would get no answer at this place; undefined where it would. */
  async problem(place: CalledPlace): Promise<string | undefined> {
    const { clientConfig } = place;
    const service = serviceOf(clientConfig);
    const target = text(clientConfig['url']);
    const key = service === undefined ? target : placeText(clientConfig);
    const problem =
      this.#known.get(key) ?? (service === undefined ? this.#probe(target, place) : this.#serviceProblem(service));
    this.#known.set(key, problem);
    return problem;
  }

  async #probe(url: string, { bundle, problemOfStatus }: CalledPlace): Promise<string | undefined> {
    const probe = await probeHttps(url, { ca: bundle, limitMs: PROBE_LIMIT_MS, signal: this.#io.signal });
    if (probe.type === 'silent') return probe.message;
    return probe.type === 'refused' ? undefined : problemOfStatus(probe.status);
  }

  /** Whether a Service has a Pod that is ready. */
  async #serviceProblem({ namespace, name }: Service): Promise<string | undefined> {
    const path = apiPath('apis', 'discovery.k8s.io', 'v1', 'namespaces', namespace, 'endpointslices');
    const query = { labelSelector: `kubernetes.io/service-name=${name}` };
    const { client, signal } = this.#io;
    try {
      const list = asJsonObject(await client.request({ method: 'GET', path, query }, signal));
      const slices = Array.isArray(list['items']) ? list['items'].map(asJsonObject) : [];
      const ready = slices
        .flatMap(({ endpoints }) => (Array.isArray(endpoints) ? endpoints.map(asJsonObject) : []))
        .filter(({ conditions }) => asJsonObject(conditions)['ready'] !== false);
      return ready.length > 0 ? undefined : 'no replica is ready';
    } catch (error) {
      return `unknown, ${messageOf(error)}`;
    }
  }
}

interface Service {
  readonly namespace: string;
  readonly name: string;
}

function serviceOf(clientConfig: JsonObject): Service | undefined {
  const service = asJsonObject(clientConfig['service']);
  const [namespace, name] = [text(service['namespace']), text(service['name'])];
  return namespace === '' || name === '' ? undefined : { namespace, name };
}
