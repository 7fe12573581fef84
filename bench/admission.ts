import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { quantile } from './figures.ts';
import { freePorts } from '../test/cluster/free-ports.ts';
import { interleaved } from './interleave.ts';
import { startOperator } from './operator.ts';
import { connectReviewer, writeServerFiles, type ServerFiles } from './reviews.ts';
import type { Measure } from './row.ts';
import { stageFolder, type BenchStage, type Contender } from './stage.ts';

/** What is compared, and with how many requests a round. */
export interface AdmissionScene {
  readonly hooksDir: string;
  /** The script that the bare server spawns; absent: it answers itself. */
  readonly script?: string;
  /** Whether shell-operator can run the hook. */
  readonly hasPeer: boolean;
  readonly warmUp: number;
  readonly alone: number;
  readonly together: number;
}

const ROUNDS = 3;
const AT_ONCE = 50;

const MEMORY = '/dev/shm';

interface Times {
  readonly alone: readonly number[];
  readonly together: readonly number[];
}

/**
 * Reviews are posted straight to the webhook port, as the API server does: over one HTTP/2 connection, one after the
 * other, then 50 at once. The limit is a bare HTTPS server. The files of runs are in memory for all of them: some file
 * systems take longer the more files were removed in the last minute, and would charge one contender for another.
 */
export async function measureAdmission(stage: BenchStage, scene: AdmissionScene): Promise<readonly Measure[]> {
  const files = writeServerFiles(stageFolder(stage, 'certificate'));
  using scratch = openScratch(stage);
  const { peer } = stage;
  const staged = { ...scene, files, scratch: scratch.path };
  const times = await interleaved<'hooklet' | 'limit' | 'peer', Times>(ROUNDS, {
    hooklet: async () => judgedBy(stage, stage.hooklet, staged),
    limit: async () => judgedBare(stage, staged),
    peer: peer && scene.hasPeer ? async () => judgedBy(stage, peer, staged) : undefined,
  });
  const figure = (name: string, share: number, of: keyof Times): Measure => {
    const value = (rounds: readonly Times[]): number =>
      quantile(
        rounds.flatMap((round) => round[of]),
        share,
      );
    const limits = { limit: value(times.limit), ...(times.peer.length > 0 && { peer: value(times.peer) }) };
    return { name, unit: 'ms', hooklet: value(times.hooklet), ...limits, goal: { type: 'ratio', most: 1.25 } };
  };
  return [
    figure('p50, 1 at once', 0.5, 'alone'),
    figure('p99, 1 at once', 0.99, 'alone'),
    figure(`p50, ${AT_ONCE} at once`, 0.5, 'together'),
    figure(`p99, ${AT_ONCE} at once`, 0.99, 'together'),
  ];
}

interface Staged extends AdmissionScene {
  readonly files: ServerFiles;
  /** Where the files of runs are. */
  readonly scratch: string;
}

function openScratch({ folder }: BenchStage): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : folder, 'hooklet-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

async function judgedBy(stage: BenchStage, contender: Contender, scene: Staged): Promise<Times> {
  const { hooksDir, files, scratch } = scene;
  const [port = 0] = await freePorts(1);
  const url = contender.name === 'peer' ? [] : ['--webhook-url', `https://127.0.0.1:${port}`];
  const given = {
    'listen-port': String(port),
    'listen-address': '127.0.0.1',
    'server-cert': files.certPath,
    'server-key': files.keyPath,
    ca: files.certPath,
    'configuration-name': contender.name,
  };
  const flags = [...url, ...Object.entries(given).flatMap(([name, value]) => [`--validating-webhook-${name}`, value])];
  const env = { SHELL_OPERATOR_NAMESPACE: 'default' };
  await using _operator = await startOperator(stage, { hooksDir, contender, flags, env, scratch });
  return await ask(port, scene);
}

async function judgedBare(stage: BenchStage, scene: Staged): Promise<Times> {
  const { files, script, scratch } = scene;
  const [port = 0] = await freePorts(1);
  const env = { BARE_CERT: files.certPath, BARE_KEY: files.keyPath, BARE_PORT: String(port), BARE_SCRATCH: scratch };
  await using _bare = await startBare(stage, 'judge', { ...env, ...(script !== undefined && { BARE_HOOK: script }) });
  return await ask(port, scene);
}

async function ask(port: number, { files, warmUp, alone, together }: Staged): Promise<Times> {
  using reviewer = await connectReviewer(port, files.cert);
  await reviewer.ask(warmUp, AT_ONCE);
  return { alone: await reviewer.ask(alone, 1), together: await reviewer.ask(together, AT_ONCE) };
}
