import { describe, expect, it } from 'vitest';
import type { DeskAnswer, DeskCaller } from '../../../src/hook/remote-run.ts';
import type { HandedRun, HeldRun, RunToEnd, WorkDesk, WorkTicket } from '../../../src/hook/work-desk.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { never } from '../../support/hook-rig.ts';
import { exited, pass, workHook, workRig, type WorkRig } from '../../support/work-executor-rig.ts';

/** Numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SILENCE_MS = 15_000;
/** By its own clock a worker ends its hooks then, and the fence kills what is left. */
const ENDS_MS = SILENCE_MS * 0.9;

/** What runs where, which no two workers may do at once. */
class Ledger {
  readonly problems: string[] = [];
  readonly #running = new Map<string, string>();
  readonly #concluded = new Set<string>();
  /** The last epoch with which each run was handed out. */
  readonly epochs = new Map<string, number>();
  begins = 0;

  begin(runId: string, worker: string): void {
    const other = this.#running.get(runId);
    if (other !== undefined) this.problems.push(`${runId} begins in ${worker}, and still runs in ${other}`);
    if (this.#concluded.has(runId)) this.problems.push(`${runId} begins in ${worker}, and has ended`);
    this.#running.set(runId, worker);
    this.begins += 1;
  }

  handed(runId: string, epoch: number): void {
    const last = this.epochs.get(runId) ?? 0;
    if (epoch <= last) this.problems.push(`${runId} is handed out with epoch ${epoch} after ${last}`);
    this.epochs.set(runId, epoch);
  }

  end(runId: string, worker: string): void {
    if (this.#running.get(runId) === worker) this.#running.delete(runId);
  }

  /** Its execution has ended. */
  concluded(runId: string): void {
    this.#concluded.add(runId);
    const worker = this.#running.get(runId);
    if (worker !== undefined) this.problems.push(`${runId} has ended, and runs in ${worker}`);
  }
}

interface Net {
  readonly random: () => number;
  isCut: boolean;
}

/** Requests arrive late, and answers too, some later than a beat takes, or never: then it has failed after a while. */
async function over<T>(net: Net, ask: () => DeskAnswer<T> | Promise<DeskAnswer<T>>): Promise<DeskAnswer<T> | 'lost'> {
  await sleep(net.random() * 300, never);
  const isRequestLost = net.isCut || net.random() < 0.02;
  const answer = isRequestLost ? undefined : await ask();
  await sleep(net.random() * (net.random() < 0.04 ? 9000 : 300), never);
  if (answer !== undefined && !net.isCut && net.random() >= 0.02) return answer;
  await sleep(2000, never);
  return 'lost';
}

/** A worker that keeps the rules: what it must do when it hears nothing, or is told. */
class ModelWorker {
  readonly net: Net;
  readonly name: string;
  readonly #desk: WorkDesk;
  readonly #ledger: Ledger;
  readonly #caller: DeskCaller;
  readonly #running = new Map<string, { readonly held: HeldRun; readonly stop: AbortController }>();
  readonly #ended = new Set<string>();
  readonly #stop = new AbortController();
  /** It ends nothing that it is told to end, as where it hangs: only the fence does. */
  readonly #isStubborn: boolean;
  #worker = '';
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, desk: WorkDesk, ledger: Ledger, random: () => number) {
    this.name = name;
    this.#desk = desk;
    this.#ledger = ledger;
    this.net = { random, isCut: false };
    this.#isStubborn = random() < 0.3;
    this.#caller = { namespace: 'n', account: 'a', pod: name, podUid: name };
  }

  /** The process is killed: nothing of it runs any more, and nobody is told. */
  die(): void {
    this.#stop.abort();
    this.#endAll();
  }

  async run(): Promise<void> {
    await Promise.all([this.#watch(), this.#beat(), this.#claim()]);
  }

  /** The fence. */
  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await sleep(100, this.#stop.signal);
      if (performance.now() - this.#heardMs >= ENDS_MS - 100) this.#fall();
    }
  }

  async #hello(): Promise<void> {
    const sentMs = performance.now();
    const hello = { pool: 'default', hooks: 'A', capacity: 3, version: '1' };
    const answer = await over(this.net, () => this.#desk.hello(hello, this.#caller));
    if (answer === 'lost' || answer.type !== 'ok' || this.#stop.signal.aborted) return;
    this.#worker = answer.value.worker;
    this.#heardMs = sentMs;
  }

  async #beat(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#worker === '') await this.#hello();
      const worker = this.#worker;
      const sentMs = performance.now();
      const held = [...this.#running.values()].map((one) => one.held);
      const answer = await over(this.net, () => this.#desk.beat({ worker, caller: this.#caller }, held));
      if (this.#stop.signal.aborted) return;
      if (answer !== 'lost' && worker === this.#worker) this.#heardBeat(answer, sentMs);
      await sleep(2000 + this.net.random() * 2500, this.#stop.signal);
    }
  }

  #heardBeat(answer: DeskAnswer<readonly RunToEnd[]>, sentMs: number): void {
    if (answer.type === 'ok') {
      this.#heardMs = sentMs;
      if (!this.#isStubborn) for (const one of answer.value) this.#endOne(one);
    } else if (answer.status === 404 && !this.#isStubborn) this.#fall();
  }

  async #claim(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const worker = this.#worker;
      const free = 3 - this.#running.size;
      if (worker === '' || free === 0) {
        await sleep(200, this.#stop.signal);
        continue;
      }
      const waiting = { waitMs: 3000, signal: this.#stop.signal };
      const answer = await over(this.net, async () => {
        const claimed = await this.#desk.claim({ worker, caller: this.#caller }, free, waiting);
        if (claimed.type === 'ok') for (const { run, epoch } of claimed.value) this.#ledger.handed(run.runId, epoch);
        return claimed;
      });
      if (answer === 'lost' || answer.type !== 'ok') await sleep(500, this.#stop.signal);
      else for (const one of answer.value) void this.#execute(one, worker);
    }
  }

  /** Says first that it has the run, so that one whose hand-out was given up is not begun. */
  async #execute({ run: { runId }, epoch }: HandedRun, worker: string): Promise<void> {
    const held = { runId, epoch };
    const ticket = { ...held, worker, caller: this.#caller };
    const key = `${runId}/${epoch}`;
    if (this.#stop.signal.aborted || worker !== this.#worker || this.#ended.has(key)) return;
    const stop = new AbortController();
    this.#running.set(key, { held, stop });
    const confirmed = await over(this.net, () => this.#desk.output(ticket, []));
    const isSure = confirmed !== 'lost' && confirmed.type === 'ok' && performance.now() - this.#heardMs < ENDS_MS - 100;
    if (isSure && !stop.signal.aborted) await this.#runHook(ticket, key, stop.signal);
    this.#running.delete(key);
  }

  async #runHook(ticket: WorkTicket, key: string, signal: AbortSignal): Promise<void> {
    this.#ledger.begin(ticket.runId, `${this.name} ${key}`);
    await sleep(this.net.random() * (this.#isStubborn ? 90_000 : 20_000), signal);
    this.#ledger.end(ticket.runId, `${this.name} ${key}`);
    const result = exited({ patch: key });
    for (let tries = 0; tries < 5 && !this.#stop.signal.aborted && ticket.worker === this.#worker; tries += 1) {
      const sent = await over(this.net, () => this.#desk.result(ticket, result));
      if (sent !== 'lost') return;
    }
  }

  #endOne({ runId, epoch }: HeldRun): void {
    const key = `${runId}/${epoch}`;
    this.#ended.add(key);
    this.#running.get(key)?.stop.abort();
    this.#ledger.end(runId, `${this.name} ${key}`);
  }

  /** Ends all that runs, and begins anew. */
  #fall(): void {
    this.#worker = '';
    this.#endAll();
  }

  #endAll(): void {
    for (const { held } of this.#running.values()) this.#endOne(held);
  }
}

/** Workers, and runs that they are to execute, at one replica. */
class World {
  readonly rig: WorkRig;
  readonly ledger = new Ledger();
  readonly runs: ReturnType<WorkRig['run']>[] = [];
  readonly ends: string[] = [];
  readonly #random: () => number;
  readonly #workers: ModelWorker[] = [];
  readonly #lives: Promise<void>[] = [];

  constructor(seed: number) {
    this.rig = workRig({ isClean: () => seed % 2 === 0 });
    this.#random = randomOf(seed);
  }

  /** Workers come, are cut off, come back and die, and of the runs some are stopped, for 10 minutes. */
  async live(): Promise<void> {
    for (let second = 0; second < 600; second += 1) {
      this.#disturb();
      if (second < 400 && this.#random() < 0.4) this.#request();
      if (this.#random() < 0.05) this.runs[Math.floor(this.#random() * this.runs.length)]?.stop();
      await pass(1000);
    }
  }

  /** What is left is done, and the workers end. */
  async end(): Promise<void> {
    for (const worker of this.#workers) worker.net.isCut = false;
    while (this.#workers.length < 2) this.#bear();
    for (let second = 0; second < 400; second += 1) await pass(1000);
    for (const worker of this.#workers) worker.die();
    await pass(60_000);
    await Promise.all(this.#lives);
  }

  #disturb(): void {
    const dice = this.#random();
    const at = Math.floor(this.#random() * this.#workers.length);
    const victim = this.#workers[at];
    if (this.#workers.length < 4 && dice < 0.2) return this.#bear();
    if (victim === undefined || dice <= 0.96) return;
    if (dice <= 0.99) victim.net.isCut = !victim.net.isCut;
    else this.#workers.splice(at, 1)[0]?.die();
  }

  #bear(): void {
    const worker = new ModelWorker(`pod-${this.#lives.length}`, this.rig.desk, this.ledger, this.#random);
    this.#workers.push(worker);
    this.#lives.push(worker.run());
  }

  #request(): void {
    const one = this.rig.run(workHook());
    this.runs.push(one);
    this.#lives.push(
      one.execution.then(() => {
        this.ledger.concluded(one.runId);
        this.ends.push(one.runId);
      }),
    );
  }
}

describe('workers that come, fall silent, come back and die', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'never run a run twice at once, and end each once, with the result of its last epoch (seed %i)',
    async (seed) => {
      const world = new World(seed);
      await world.live();
      await world.end();
      const { rig, ledger, runs, ends } = world;

      expect(ledger.problems).toEqual([]);
      expect(ends.toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
      expect(new Set(ends).size).toBe(ends.length);
      expect(runs.length).toBeGreaterThan(100);
      expect(ledger.begins).toBeGreaterThan(60);
      for (const { ended, runId } of runs) {
        if (ended?.type === 'exited') expect(ended.outputs.patch).toBe(`${runId}/${ledger.epochs.get(runId)}`);
      }
      expect(rig.executor.pools()).toEqual([]);
    },
    60_000,
  );
});
