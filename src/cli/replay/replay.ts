import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HookConfigError, UsageError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import { discoverHooks, type HookFile } from '../../hook/discover.ts';
import { loadHook } from '../../hook/load.ts';
import { nearest } from '../../hook/nearest.ts';
import { printable } from '../../lib/printable.ts';
import { shown } from '../../lib/shown.ts';
import type { Recording } from '../../run/recording/recording.ts';
import { checkFilter } from '../../units/filter-check.ts';
import { lineDiff } from '../run/line-diff.ts';
import { openLocalRunner } from '../run/local-runner.ts';
import { parseObjects } from '../run/object-input.ts';
import { sandboxFolder } from '../local-sandbox.ts';
import { startOptions } from '../options/options.ts';
import { oneOf } from '../options/output-format.ts';
import { resolveOptions } from '../options/resolve.ts';
import { bindingName } from '../run/choose-binding.ts';
import { shutdownSignal } from '../shutdown.ts';
import { openLog } from '../options/open-log.ts';
import { compareRuns, PARTS, type PartName } from './compare.ts';
import { readRecording } from './read-recording.ts';
import { fillSandbox } from './replay-sandbox.ts';
import { effectText, replayRun } from './replay-run.ts';
import { replayJson, replayText, type ReplayReport } from './replay-text.ts';
import { sandboxChanges } from './sandbox-changes.ts';
import { seenObject, seenObjects, type SeenObject } from './seen-objects.ts';

export interface ReplayFlags {
  readonly hooks?: string;
  readonly objects?: string;
  readonly ignore?: readonly string[];
  readonly output?: string;
  readonly contexts?: boolean;
  readonly keep?: boolean;
}

/** `hooklet replay`: resolves to the exit code: 0 for the same, 1 where something differs. */
export async function replayCommand(file: string, flags: ReplayFlags): Promise<number> {
  const format = oneOf(['text', 'json'], flags.output);
  const ignored = ignoredParts(flags.ignore ?? []);
  const recording = await readRecording(file);
  if (flags.contexts === true) {
    process.stdout.write(printable(`${JSON.stringify(recording.contexts, undefined, 2)}\n`));
    return 0;
  }
  const given = flags.objects === undefined ? [] : await readObjects(flags.objects);
  const report = await replay(recording, { ...flags, given });
  const differing = report.parts.filter(({ isSame, part }) => !isSame && !ignored.has(part));
  const text = format === 'json' ? replayJson(report, differing) : replayText(report, differing);
  process.stdout.write(printable(text));
  return differing.length === 0 ? 0 : 1;
}

function ignoredParts(given: readonly string[]): ReadonlySet<PartName> {
  return new Set(
    given.map((name) => {
      const part = PARTS.find((one) => one === name);
      if (part !== undefined) return part;
      const meant = nearest(name, PARTS);
      const hint = meant === undefined ? `expected one of ${PARTS.join(', ')}` : `did you mean ${meant}?`;
      throw new UsageError(`--ignore: got ${shown(name)}, ${hint}`);
    }),
  );
}

async function readObjects(file: string): Promise<readonly SeenObject[]> {
  const source = `--objects ${file}`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${source} cannot be read: ${String(cause)}`, { cause });
  }
  return parseObjects(text, source).map((object, at) => {
    const found = seenObject(object);
    if (found === undefined) throw new UsageError(`${source}: object ${at + 1} has no apiVersion, kind or name`);
    return found;
  });
}

interface ReplayOptions extends ReplayFlags {
  readonly given: readonly SeenObject[];
}

async function replay(recording: Recording, { hooks, given, keep = false }: ReplayOptions): Promise<ReplayReport> {
  const root = hooks ?? resolveOptions(startOptions, {}, process.env).hooksDir;
  const file = await findRecorded(recording.hook.name, root);
  const signal = shutdownSignal(() => {});
  await using ends = new AsyncDisposableStack();
  const seen = seenObjects(recording.contexts);
  const { sandbox, notes } = await fillSandbox(seen, { given, written: writtenObjects(recording) });
  ends.use(sandbox);
  const { path: folder, kubeconfig } = ends.use(sandboxFolder('hooklet-replay-', sandbox, keep));
  if (keep) writeFileSync(join(folder, 'contexts.json'), JSON.stringify(recording.contexts), { mode: 0o600 });
  // What is logged goes to standard error, so that standard output has the comparison alone.
  const write = (line: string): void => void process.stderr.write(printable(line));
  const { runner } = openLocalRunner(root, ends, write, envOf(kubeconfig));
  const hook = await load(file, async (one) => runner.readConfig(one, signal));
  const log = openLog(resolveOptions(startOptions, { logFormat: 'text' }, process.env), 'text', write);
  const before = sandbox.state;
  const replayed = await replayRun(recording, { hook, executor: runner, sandbox, log, signal });
  const changes = sandboxChanges(before, sandbox.state);
  const about = [
    ...notes,
    ...hookNotes(recording, hook),
    ...(keep ? [`the files of the replay are in ${folder}`] : []),
  ];
  const { parts, uncompared } = compareRuns(recording, replayed);
  const { problems } = replayed;
  const effects = effectsDiff(recording, replayed.effects);
  return { recording, parts, uncompared, effects, changes, objects: seen.length, problems, notes: about };
}

/** What the operations did otherwise; empty where that is not known, as for the children of a reconcile binding. */
function effectsDiff({ run, contexts }: Recording, effects: readonly string[]): string {
  const isKnown = run.morePatches === undefined && !contexts.some(({ type }) => type === 'Reconcile');
  const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return isKnown ? lineDiff(textOf(run.patches.map(effectText)), textOf(effects)) : '';
}

/** The hook is found by its name among those of the folder: no path of the recording is ever opened. */
async function findRecorded(name: string, root: string): Promise<HookFile> {
  const { files } = await discoverHooks(root);
  const found = files.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = files.map((one) => one.name);
  const meant = nearest(name, names);
  const known = names.length === 0 ? 'there are none' : `there is ${names.slice(0, 20).join(', ')}`;
  const hint = meant === undefined ? known : `did you mean ${meant}?`;
  throw new UsageError(
    `hook ${shown(name)} of the recording is not in ${root}: ${hint}; choose the folder with --hooks`,
  );
}

async function load(file: HookFile, readConfig: Parameters<typeof loadHook>[1]['readConfig']): Promise<Hook> {
  const hook = await loadHook(file, { readConfig, checkFilter });
  if (hook instanceof HookConfigError) throw hook;
  return hook;
}

/** Without what would lead a hook to a real cluster. */
function envOf(kubeconfig: string): NodeJS.ProcessEnv {
  const { KUBERNETES_SERVICE_HOST: _host, KUBERNETES_SERVICE_PORT: _port, ...env } = process.env;
  return { ...env, KUBECONFIG: kubeconfig };
}

/** The objects that the recorded run wrote: their kinds must be there. */
function writtenObjects({ outputs }: Recording): readonly SeenObject[] {
  const { patch } = outputs;
  if (patch === undefined || 'unreadable' in patch) return [];
  return patch.documents.flatMap((document) => {
    const isRecord = typeof document === 'object' && document !== null;
    const object: unknown = isRecord && 'object' in document ? document.object : targetOf(document);
    return seenObject(object) ?? [];
  });
}

function targetOf(document: unknown): unknown {
  if (typeof document !== 'object' || document === null) return undefined;
  const { apiVersion, kind, namespace, name }: Readonly<Record<string, unknown>> = { ...document };
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function hookNotes({ hook: { hash }, contexts, run, ending }: Recording, hook: Hook): readonly string[] {
  const failedLater = run.outcome === 'failed' && ending.type !== 'failed';
  const now = createHash('sha256').update(readFileSync(hook.path)).digest('hex').slice(0, 16);
  const isOther = hash !== undefined && hash !== now;
  const known = new Set(hook.bindings.map(bindingName));
  const groups = hook.bindings.flatMap((binding) => ('group' in binding ? (binding.group ?? []) : []));
  const missing = new Set(
    contexts.map(({ binding }) => String(binding)).filter((name) => !known.has(name) && !groups.includes(name)),
  );
  return [
    ...(failedLater ? [`the recorded run failed after its hook (${run.failedBy ?? 'hook'}): ${run.error ?? ''}`] : []),
    ...(isOther ? [`the hook was changed since: its sha256 was ${hash}… and is ${now}…`] : []),
    ...[...missing].map((name) => `the hook has no binding ${shown(name)} any more`),
  ];
}
