import type { Hook } from '../../hook/binding.ts';
import type { HttpTrigger } from '../../hook/trigger.ts';
import type { Environment } from '../../kube/environment.ts';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import type { ElectionStatus } from '../../kube/coordination/leader-election.ts';
import { within } from '../../lib/deadline.ts';
import type { Logger } from '../../log.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { TriggerDoor } from '../../server/trigger-routes.ts';
import { HttpRequests } from '../../sources/http/http-requests.ts';
import { OpenRequests } from '../../sources/http/open-requests.ts';
import { SecretFiles } from '../../sources/http/secret-files.ts';
import { TokenReviews } from '../../sources/http/token-access.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { httpJournal } from './http-journal.ts';
import { refusalOf } from '../leadership.ts';

export interface HttpTriggersOptions {
  readonly access: Pick<ClusterAccess, 'client' | 'cluster'>;
  readonly env: Environment;
  /** The units of the hooks that are loaded. */
  readonly units: () => readonly HookUnit[];
  /** The unit of a hook; undefined when the hook was changed or removed. */
  readonly unitOf: (hook: Hook) => HookUnit | undefined;
  readonly emit: (hook: Hook, trigger: HttpTrigger) => void;
  /** Undefined without election. */
  readonly election: () => ElectionStatus | undefined;
  /** How long runs may take to end when the operator stops. */
  readonly gracePeriodMs: number;
  readonly log: Logger;
}

/** What servers need of the `http` bindings. */
export interface HttpDoor extends TriggerDoor {
  /** Whether a hook has an `http` binding. */
  readonly isWanted: () => boolean;
  /** Resolves when no request waits for the end of a run, once the operator stops. */
  readonly drained: () => Promise<void>;
}

const LATE_MS = 15_000;
const LOADING = { status: 503, body: { error: 'the hooks are not loaded yet' }, headers: { 'retry-after': '5' } };

/**
 * The `http` bindings of all hooks. Servers use it as their door; the operator tells it when hooks were loaded and when
 * it stops, and its `journal` when runs end.
 */
export class HttpTriggers implements HttpDoor {
  readonly journal: RunJournal;
  readonly #options: HttpTriggersOptions;
  readonly #open = new OpenRequests();
  readonly #secrets = new SecretFiles();
  readonly #requests: HttpRequests;
  /** By name, those that are being loaded again included; undefined until all are loaded for the first time. */
  #hooks: ReadonlyMap<string, Hook> | undefined;
  #isStopping = false;

  constructor(options: HttpTriggersOptions) {
    this.#options = options;
    const { access, env, emit, log } = options;
    const namespace = ownNamespace(env, access.cluster.namespace);
    const tokens = new TokenReviews({ client: access.client, namespace, now: Date.now });
    this.journal = httpJournal(this.#open);
    this.#requests = new HttpRequests({
      hookNamed: (name) => this.#hooks?.get(name),
      emit,
      refusal: (hook) => this.#refusal(hook),
      open: this.#open,
      tokenAccess: async (token, hook, source) => tokens.accessOf(token, hook, source),
      readSecret: async (file) => this.#secrets.read(file),
      now: Date.now,
      log,
    });
  }

  /** The hooks were loaded, or loaded again. */
  loaded(): void {
    const { units, unitOf } = this.#options;
    this.#hooks = new Map(units().map(({ hook }) => [hook.name, hook]));
    this.#open.dropGone((hook) => unitOf(hook) === undefined);
    void this.#warnOfSecrets(units().flatMap(({ hook }) => secretsOf(hook)));
  }

  /** They are read again for each request: a Secret may be mounted later. */
  async #warnOfSecrets(secrets: readonly SecretPlace[]): Promise<void> {
    for (const { secretFile, ...place } of secrets) {
      try {
        await this.#secrets.read(secretFile);
      } catch (error) {
        this.#options.log.warn({ ...place, err: error }, 'the secret cannot be read, callers are answered 503');
      }
    }
  }

  /** The operator stops: no run begins any more. */
  stop(): void {
    this.#isStopping = true;
    this.#open.stop();
  }

  readonly isWanted = (): boolean =>
    [...(this.#hooks?.values() ?? [])].some(({ bindings }) => bindings.some(({ type }) => type === 'http'));

  readonly drained = async (): Promise<void> => {
    const limitMs = this.#options.gracePeriodMs + LATE_MS;
    await within(this.#open.finished, { limitMs, late: () => {} });
  };

  readonly admit: HttpDoor['admit'] = async (head) =>
    this.#hooks === undefined ? { type: 'refused', reply: LOADING } : this.#requests.admit(head);

  #refusal(hook: Hook): string | undefined {
    if (this.#isStopping) return 'the operator stops';
    const { election, unitOf } = this.#options;
    const unit = unitOf(hook);
    const standby = refusalOf(election());
    if (standby !== undefined) return standby;
    if (unit === undefined) return 'the hook is being loaded again';
    return unit.isEnabled ? undefined : 'the hook has not started yet: its Synchronizations are not done';
  }
}

interface SecretPlace {
  readonly hook: string;
  readonly binding: string;
  readonly secretFile: string;
}

function secretsOf({ name: hook, bindings }: Hook): readonly SecretPlace[] {
  return bindings.flatMap((binding) => {
    if (binding.type !== 'http' || binding.authentication.type === 'token') return [];
    return { hook, binding: binding.name, secretFile: binding.authentication.secretFile };
  });
}
