import type { AskTrigger } from '../../hook/trigger.ts';
import { shown } from '../../lib/shown.ts';
import { shortestChain, type ConversionStep } from './chain.ts';
import { checkConverted, type Converted, type ConvertedObject } from './converted.ts';
import type { ConversionResponse } from './response.ts';

/** The request of a ConversionReview. */
export interface ConversionRequest {
  readonly uid: string;
  /** As `group/version`. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly ConvertedObject[];
}

/** Runs the hook of a step for a caller that waits. */
export type AskConversion = (
  step: ConversionStep,
  trigger: AskTrigger,
  signal: AbortSignal,
) => Promise<AskedConversion>;

/** The response of a hook, or why there is none. */
export type AskedConversion =
  | { readonly type: 'answered'; readonly response: ConversionResponse }
  | { readonly type: 'failed'; readonly message: string }
  | RefusedConversion;

/** No hook was asked: too many requests, not ready, or the operator stops. The caller may try again. */
export interface RefusedConversion {
  readonly type: 'refused';
  readonly status: 429 | 503;
  readonly message: string;
}

/** What became of a request. */
export type Conversion = Converted | RefusedConversion;

export interface ConvertOptions {
  /** The rules of all hooks for this CustomResourceDefinition. */
  readonly steps: readonly ConversionStep[];
  readonly ask: AskConversion;
  /** Whether a hook is broken, which may be the one that has the missing rules; absent: none is. */
  readonly hasBroken?: (() => boolean) | undefined;
  /** Called with the chain of each version before its hooks are asked. */
  readonly onChain?: ((request: ConversionRequest, from: string, chain: readonly ConversionStep[]) => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Converts the objects of a request, which may have several versions: those of one version go together through the
 * shortest chain of rules, one hook after the other. Never rejects. One object that cannot be converted fails the whole
 * request, since the API server takes all or nothing.
 */
export async function convert(request: ConversionRequest, options: ConvertOptions): Promise<Conversion> {
  const converted = new Map<ConvertedObject, ConvertedObject>();
  for (const [version, given] of Map.groupBy(request.objects, ({ apiVersion }) => apiVersion)) {
    const result = await convertVersion(version, given, { ...options, request });
    if (result.type !== 'converted') return result;
    for (const [index, object] of result.objects.entries()) {
      const before = given[index];
      if (before !== undefined) converted.set(before, object);
    }
  }
  return { type: 'converted', objects: request.objects.map((object) => converted.get(object) ?? object) };
}

interface StepOptions extends ConvertOptions {
  readonly request: ConversionRequest;
}

async function convertVersion(
  version: unknown,
  given: readonly ConvertedObject[],
  options: StepOptions,
): Promise<Conversion> {
  const { steps, request } = options;
  const { desiredAPIVersion: to } = request;
  const chain = typeof version === 'string' ? shortestChain(steps, version, to) : undefined;
  if (chain === undefined) {
    const rules = steps.map(({ rule }) => `${rule.fromVersion} to ${rule.toVersion}`).join(', ');
    const broken = options.hasBroken?.() === true ? '; a hook is broken and does not run, see the log' : '';
    const there = rules === '' ? 'none' : rules;
    return failed(`no hook converts from ${shown(version)} to ${to}; there are: ${there}${broken}`);
  }
  if (typeof version === 'string') options.onChain?.(request, version, chain);
  let objects = given;
  for (const step of chain) {
    const result = await take(step, objects, options);
    if (result.type !== 'converted')
      return { ...result, message: `hook ${step.hook}, ${describe(step)}: ${result.message}` };
    objects = result.objects;
  }
  return { type: 'converted', objects };
}

async function take(
  step: ConversionStep,
  given: readonly ConvertedObject[],
  { request, ask, signal }: StepOptions,
): Promise<Conversion> {
  const asked = await ask(step, triggerOf(step, given, request), signal);
  if (asked.type !== 'answered') return asked;
  const { response } = asked;
  if (response.type === 'failed') return failed(response.message);
  const [group] = request.desiredAPIVersion.split('/', 1);
  const { toVersion } = step.rule;
  const to = toVersion.includes('/') ? toVersion : `${group}/${toVersion}`;
  return checkConverted(response.objects, given, to);
}

function triggerOf(
  { binding, rule }: ConversionStep,
  given: readonly ConvertedObject[],
  request: ConversionRequest,
): AskTrigger {
  const { uid, desiredAPIVersion } = request;
  return {
    type: 'ask',
    binding,
    contextType: 'Conversion',
    members: {
      fromVersion: JSON.stringify(rule.fromVersion),
      toVersion: JSON.stringify(rule.toVersion),
      review: JSON.stringify({ request: { uid, desiredAPIVersion, objects: given } }),
    },
  };
}

function describe({ rule: { fromVersion, toVersion } }: ConversionStep): string {
  return `${fromVersion} to ${toVersion}`;
}

function failed(message: string): Converted {
  return { type: 'failed', message };
}
