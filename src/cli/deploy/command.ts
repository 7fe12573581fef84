import { UsageError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import { discoverHooks } from '../../hook/discover.ts';
import { printable } from '../../lib/printable.ts';
import { shownText } from '../../lib/shown.ts';
import { risksOf } from '../../rights/risks.ts';
import { divisionProblems } from '../check/division.ts';
import { loadLocalHooks } from '../run/load-local-hooks.ts';
import { startOptions } from '../options/options.ts';
import { storiesAt } from '../rbac/run-scenarios.ts';
import { resolveOptions } from '../options/resolve.ts';
import { manifestsYaml, type ManifestsRequest } from './manifests.ts';
import { neededByHooks } from './needed-rights.ts';

export interface ManifestsFlags {
  readonly image?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly createNamespace?: boolean;
  readonly replicas?: string;
  readonly shards?: boolean;
  readonly host?: string;
  readonly events: boolean;
  readonly crds?: readonly string[];
  readonly scenarios?: readonly string[];
}

const NAME = /^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
// With a tag, a digest, or none; the exact grammar is for the container runtime.
const IMAGE = /^[a-z0-9][-\w.:/@]{0,500}$/i;
const HOST = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const REPLICAS = /^(?:[1-9]\d?|100)$/;

/** `hooklet manifests`: resolves to the exit code. */
export async function manifestsCommand(given: string | undefined, flags: ManifestsFlags): Promise<number> {
  const request = manifestsRequest(flags);
  const { hooksDir } = resolveOptions(startOptions, given === undefined ? {} : { hooksDir: given }, process.env);
  const scenarios = flags.scenarios === undefined ? [] : await storiesAt(flags.scenarios);
  const hooks = await loadAll(hooksDir, request);
  if (hooks === undefined) return 1;
  const { crds } = flags;
  const needs = await neededByHooks(hooks, { request, scenarios, ...(crds !== undefined && { crds }) });
  for (const risk of risksOf(needs, true)) process.stderr.write(printable(`warning: ${risk}\n`));
  process.stdout.write(printable(manifestsYaml(hooks, needs, { ...request, areTested: scenarios.length > 0 })));
  return 0;
}

/** Checks the flags; throws one `UsageError` with all problems. */
export function manifestsRequest(flags: ManifestsFlags): ManifestsRequest {
  const { image = '', name = 'hooklet', namespace = 'hooklet', replicas, host } = flags;
  const problems = [
    ...(flags.image === undefined ? ['--image is missing: which image has the hooks?'] : []),
    ...given('image', flags.image, { pattern: IMAGE, expected: 'a name of an image' }),
    ...given('name', flags.name, { pattern: NAME, expected: 'small letters, digits and "-", at most 40' }),
    ...given('namespace', flags.namespace, {
      pattern: NAMESPACE,
      expected: 'small letters, digits and "-", at most 63',
    }),
    ...given('replicas', replicas, { pattern: REPLICAS, expected: 'a number from 1 to 100' }),
    ...given('host', host, { pattern: HOST, expected: 'a host name' }),
  ];
  if (problems.length > 0) throw new UsageError(`manifests: ${problems.join('\n')}`);
  return {
    image,
    name,
    namespace,
    withEvents: flags.events,
    withNamespace: flags.createNamespace === true,
    areSharded: flags.shards === true,
    ...(replicas !== undefined && { replicas: Number(replicas) }),
    ...(host !== undefined && { host }),
  };
}

interface Expected {
  readonly pattern: RegExp;
  readonly expected: string;
}

function given(flag: string, value: string | undefined, { pattern, expected }: Expected): readonly string[] {
  if (value === undefined || pattern.test(value)) return [];
  return [`--${flag}: got ${shownText(value)}, expected ${expected}`];
}

/** The hooks of a folder; says what is wrong and returns undefined when one of them is broken or there is none. */
async function loadAll(
  hooksDir: string,
  { namespace, areSharded }: ManifestsRequest,
): Promise<readonly Hook[] | undefined> {
  const { files } = await discoverHooks(hooksDir);
  // Hooks name the namespace in which they will run.
  const env = { POD_NAMESPACE: namespace, ...process.env };
  const { hooks, broken } = await loadLocalHooks(hooksDir, files, { env });
  const undivided = areSharded ? hooks.flatMap(undividedText) : [];
  const problems = [...broken.map(({ message }) => message), ...undivided];
  if (files.length === 0)
    problems.push(`there are no hooks in ${hooksDir}; hooklet check says which files are skipped`);
  for (const problem of problems) process.stderr.write(printable(`hooklet: manifests: ${problem}\n`));
  return problems.length === 0 ? hooks.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
}

function undividedText(hook: Hook): readonly string[] {
  return divisionProblems(hook).map(({ path, message }) => `--shards: hook ${hook.name}: ${path}: ${message}`);
}
