import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationOf } from './configuration.ts';
import type { Item } from './items.ts';
import type { Prometheus } from './resources.ts';
import { turns } from './turns.ts';

/** promtool was killed, is not there, or said nothing: that says nothing about the configuration. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** promtool refuses every monitor, whatever is in it. */
export class UnfitPromtool extends NoAnswer {}

/** What promtool says of a configuration; `undefined`: it would be taken. */
export type Check = (items: readonly Item[]) => Promise<string | undefined>;

/** Requests of the webhook come together, and each promtool may need much memory. */
const inTurn = turns(2);
const CALL_MS = 20_000;
const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_SENTENCE = 600;
/** Of promtool: a regular expression of 3 KB may take 500 MB, and the Prometheus would need them too. */
const MAX_MEMORY_KB = 250_000;

/** Asks promtool about the whole configuration of some items. Throws a NoAnswer where promtool gave none. */
export function checkWith(prometheus: Prometheus, signal: AbortSignal): Check {
  return async (items) =>
    inTurn(signal, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'promtool-'));
      try {
        const file = join(folder, 'prometheus.yml');
        await writeFile(file, configurationOf(prometheus, items, { folder, mark: 'check' }));
        await Promise.all(
          items.flatMap(({ files }) => files.map(async ({ name, content }) => writeFile(join(folder, name), content))),
        );
        return await ask(prometheus.spec.version ?? '', { file, folder, signal });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

interface Asked {
  readonly file: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function ask(version: string, { file, folder, signal }: Asked): Promise<string | undefined> {
  const { failed, output } = await call(version, file, signal);
  // A run that is ended says nothing about the configuration either, and asks no more.
  signal.throwIfAborted();
  if (!failed && output.includes('SUCCESS')) return undefined;
  if (!failed || !output.includes('FAILED'))
    throw new NoAnswer(`promtool gave no answer: ${output.trim().slice(0, 300) || 'it said nothing'}`);
  if (output.includes('field kubernetes_sd_configs not found')) throw new UnfitPromtool(UNFIT);
  return sentenceOf(output, folder);
}

const UNFIT =
  'this promtool was built without the discovery of Kubernetes, as that of Debian is: use that of the image prom/prometheus:v3.13.5';

/** The promtool of this version where the image has one, such as `promtool-2.53.5`, else `promtool`. */
const ASK = `
ulimit -d ${MAX_MEMORY_KB} || exit
command -v "promtool-$1" > /dev/null && exec "promtool-$1" check config --lint=none "$2"
exec promtool check config --lint=none "$2"
`;

async function call(version: string, file: string, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<{ readonly failed: boolean; readonly output: string }>();
  const options = { timeout: CALL_MS, maxBuffer: MAX_OUTPUT, signal, killSignal: 'SIGKILL' } as const;
  execFile('sh', ['-c', ASK, 'promtool', version, file], options, (error, stdout, stderr) => {
    const isOver = error !== null && typeof error.code !== 'number';
    const ended = isOver ? `it was ended after ${CALL_MS / 1000} s at most, by ${error.signal ?? error.message}` : '';
    resolve({ failed: error !== null, output: isOver ? ended : `${stdout}\n${stderr}` });
  });
  return promise;
}

/** The first sentence of a refusal, without the paths of the check. */
function sentenceOf(output: string, folder: string): string {
  const lines = output.replaceAll(`${folder}/`, '').split('\n');
  const first = lines.findIndex((line) => line.includes('FAILED'));
  const text = lines
    .slice(first)
    .filter((line) => line.trim() !== '' && !/^Checking |SUCCESS/.test(line))
    .map((line) => line.trim())
    .join(' ');
  return text.replace(/^FAILED: /, '').slice(0, MAX_SENTENCE);
}
