import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../lib/remove-tree.ts';
import type { Given } from '../world.ts';
import { openHookTime, type HookTime } from './hook-time.ts';
import { openStandIns, type StandIns } from './stand-ins.ts';
import { openVolumes } from './volumes.ts';
import type { Caller } from './world-cluster.ts';

type Environment = Readonly<Record<string, string>>;

const PATH = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';

export interface SurroundingsParts {
  readonly folder: string;
  readonly kubeconfigOf: (caller: Caller) => string;
}

/** What the hooks of a world find around them, in a folder of its own: volumes, programs, the time, a kubeconfig. */
export class Surroundings implements Disposable {
  /** For the files of runs. */
  readonly tmpDir: string;
  readonly time: HookTime;
  readonly standIns: StandIns;
  readonly #folder: string;
  readonly #env: Environment;
  readonly #kubeconfigOf: (caller: Caller) => string;

  /** `folder` gets a folder for this world; `kubeconfigOf` makes the text of the kubeconfig of a caller. */
  constructor(given: Given, { folder: parent, kubeconfigOf }: SurroundingsParts) {
    const { standInsDir: dir, startMs: nowMs, disturbance } = given;
    this.#kubeconfigOf = kubeconfigOf;
    this.#folder = mkdtempSync(join(parent, 'world-'));
    const folder = this.#folder;
    this.tmpDir = join(folder, 'tmp');
    mkdirSync(join(folder, 'kube'));
    this.#env = openVolumes(given, folder);
    this.time = openHookTime({ folder, env: { ...process.env, PATH, ...this.#env }, nowMs });
    const answer = disturbance?.type === 'answer' ? disturbance : undefined;
    this.standIns = openStandIns({ dir, folder, answer, programs: this.time.programs });
  }

  /** The environment of all hooks in a life of the operator. */
  envOfLife(life: number): Environment {
    return {
      KUBECONFIG: this.#kubeconfig({ by: 'hook', life, run: undefined }),
      KUBECACHEDIR: join(this.#folder, 'kube', 'cache'),
      ...this.#env,
      ...this.time.env,
      PATH: `${this.standIns.binDir}:${this.#env['PATH'] ?? PATH}`,
    };
  }

  /** What a run has beside it. */
  envOfRun(life: number, run: string | undefined, nowMs: number): Environment {
    return { ...this.time.set(nowMs), KUBECONFIG: this.#kubeconfig({ by: 'hook', life, run }) };
  }

  #kubeconfig(caller: Exclude<Caller, { by: 'scenario' }>): string {
    const path = join(this.#folder, 'kube', caller.run ?? `life-${caller.life}`);
    writeFileSync(path, this.#kubeconfigOf(caller), { mode: 0o600 });
    return path;
  }

  [Symbol.dispose](): void {
    removeTree(this.#folder);
  }
}
