import type { KubeClient } from '../../kube/client.ts';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import { printable } from '../../lib/printable.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { configurationKind, type ConfigurationKind } from '../../sources/admission/configuration-kind.ts';
import {
  bundleOf,
  MANAGED_BY,
  readRefusals,
  readRegistered,
  type Registered,
} from '../../sources/admission/registered.ts';
import { AnsweringPlaces, placeText, type CalledPlace } from './answering-place.ts';
import { findConverters, lossWithout, removeConverter, type Converter } from './converters.ts';
import { textTable } from '../text/text-table.ts';

/** What the `webhooks` commands work on: the API server itself, so that they work where no hooklet runs. */
export interface WebhooksIo {
  readonly client: Pick<KubeClient, 'request'>;
  readonly stdout: (text: string) => void;
  readonly signal: AbortSignal;
}

/** What `hooklet webhooks remove` removes. */
export interface Removal {
  /** Of the webhook configurations, or of a CustomResourceDefinition; undefined: all. */
  readonly name: string | undefined;
  /** Without it, what would be removed is only shown. */
  readonly isSure: boolean;
  /** Also converters without which objects lose something. */
  readonly withConverters: boolean;
}

interface Configuration extends Registered {
  readonly kind: ConfigurationKind;
  readonly name: string;
}

const KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;
const HEAD = ['CONFIGURATION', 'WEBHOOK', 'FAILURE', 'HOOKLET', 'PLACE', 'ANSWERS'];

/**
 * `hooklet webhooks list`: prints each webhook and converter that hooklet has registered, and whether anybody would
 * answer it, and the webhooks that the API server refuses; resolves to the exit code, 1 when one has a problem.
 */
export async function listWebhooks(io: WebhooksIo): Promise<number> {
  const [configurations, { converters, refusal }] = await Promise.all([find(io), findConverters(io)]);
  if (refusal !== undefined) io.stdout(notKnown(refusal));
  const places = new AnsweringPlaces(io);
  const registered = [
    ...configurations.flatMap(webhookRows),
    ...converters.map((converter) => converterRow(converter)),
  ];
  const rows: string[][] = [];
  const problems: string[] = [];
  for (const { cells, called } of registered) {
    const { place, problem } = await answering(called, places);
    if (problem !== undefined) problems.push(typeof called === 'string' ? REFUSED : problem);
    const answers = problem === undefined ? 'yes' : `no: ${problem}`;
    rows.push([...cells, place, called === undefined ? '' : answers]);
  }
  io.stdout(rows.length === 0 ? 'no webhooks of hooklet\n' : textTable(HEAD, rows));
  if (problems.length === 0) return 0;
  io.stdout(`\n${adviceFor(problems)}`);
  return 1;
}

interface Answering {
  readonly place: string;
  readonly problem?: string | undefined;
}

async function answering(called: Row['called'], places: AnsweringPlaces): Promise<Answering> {
  if (called === undefined) return { place: '' };
  if (typeof called === 'string') return { place: '', problem: called };
  return { place: placeText(called.clientConfig), problem: await places.problem(called) };
}

const REFUSED = 'refused';
const NO_HOOK = 'no hook there has it, or it is broken';
const NO_CONVERTER = 'no hook there converts it';

function adviceFor(problems: readonly string[]): string {
  const kinds = Object.groupBy(problems, (problem) => {
    if (problem === REFUSED) return 'refused';
    return problem === NO_HOOK || problem === NO_CONVERTER ? 'hook' : 'hooklet';
  });
  const back = 'take them back with hooklet webhooks remove';
  const lines = [
    [kinds.hooklet, `of them nobody answers: start hooklet, or ${back}`],
    [kinds.hook, `of them no hook answers: bring the hook back, or repair it, or ${back}`],
    [kinds.refused, 'of them the API server refuses: repair the hook, after which it is tried again'],
  ] as const;
  return lines.map(([found, text]) => (found === undefined ? '' : `${found.length} ${text}\n`)).join('');
}

/**
 * `hooklet webhooks remove`: shows the webhook configurations and converters that it would remove, and with `isSure`
 * removes them. A converter that objects need is left, unless it is asked for. A hooklet that runs registers its own
 * again.
 */
export async function removeWebhooks(removal: Removal, io: WebhooksIo): Promise<number> {
  const { name, isSure } = removal;
  const isMeant = (one: string): boolean => name === undefined || one === name;
  const configurations = (await find(io)).filter((one) => isMeant(one.name));
  const found = await findConverters(io);
  const converters = found.converters.filter(({ crdName }) => isMeant(crdName));
  const say = (line: string): void => io.stdout(`${printable(line)}\n`);
  for (const configuration of configurations) say(await removedConfiguration(configuration, isSure, io));
  for (const converter of converters) say(await removedConverter(converter, removal, io));
  if (found.refusal !== undefined) io.stdout(notKnown(found.refusal));
  if (configurations.length + converters.length === 0) io.stdout('no webhooks of hooklet\n');
  else if (!isSure) io.stdout('nothing is changed; add --yes to remove them\n');
  else io.stdout('a hooklet that runs registers its own again\n');
  return 0;
}

/** Returns what was done, or would be. */
async function removedConfiguration(
  { kind, name, uid, webhooks }: Configuration,
  isSure: boolean,
  { client, signal }: WebhooksIo,
): Promise<string> {
  const path = resourcePath(configurationKind(kind), { name });
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } });
  if (isSure) await client.request({ method: 'DELETE', path, body }, signal);
  return `${doneOr(isSure)} ${kind} ${name} with ${webhooks.length} webhook(s)`;
}

async function removedConverter(
  converter: Converter,
  { isSure, withConverters }: Removal,
  io: WebhooksIo,
): Promise<string> {
  const loss = lossWithout(converter);
  const what = `the converter of ${converter.crdName}${loss === undefined ? '' : `: ${loss}`}`;
  if (loss !== undefined && !withConverters) return `left ${what}; ${WAYS}`;
  if (isSure) await removeConverter(converter, io);
  return `${doneOr(isSure)} ${what}`;
}

function notKnown(refusal: string): string {
  return printable(`converters are not known: ${refusal}\n`);
}

function doneOr(isSure: boolean): string {
  return isSure ? 'removed' : 'would remove';
}

const WAYS = 'see docs/conversion.md for the way out, or add --converters';
const KIND_WORDS = { MutatingWebhookConfiguration: 'mutating', ValidatingWebhookConfiguration: 'validating' } as const;

async function find({ client, signal }: WebhooksIo): Promise<readonly Configuration[]> {
  const query = { labelSelector: `${MANAGED_BY.key}=${MANAGED_BY.value}` };
  const lists = KINDS.map(async (kind) => {
    const list = asJsonObject(
      await client.request({ method: 'GET', path: resourcePath(configurationKind(kind), {}), query }, signal),
    );
    const items = Array.isArray(list['items']) ? list['items'].map(asJsonObject) : [];
    return items.map((item) => ({ kind, name: nameOf(item), ...readRegistered(item) }));
  });
  // The label alone may be that of a child of a reconcile hook.
  return (await Promise.all(lists)).flat().filter(({ namespace }) => namespace !== undefined);
}

function nameOf(object: JsonObject): string {
  return text(asJsonObject(object['metadata'])['name']);
}

interface Row {
  /** As far as the place. */
  readonly cells: readonly string[];
  /** Or why it is not registered as its hook wants it; undefined: nothing is called. */
  readonly called?: CalledPlace | string;
}

function webhookRows({ kind, name, namespace = '', webhooks, refusals }: Configuration): readonly Row[] {
  const configuration = `${KIND_WORDS[kind]}/${name}`;
  const refused = readRefusals(refusals).map(({ webhook, hook, reason }) => ({
    cells: [configuration, webhook, '', namespace],
    called: `the API server refuses what ${hook} wants: ${reason}`,
  }));
  if (webhooks.length + refused.length === 0) return [{ cells: [configuration, '(none)', '', namespace] }];
  const rows = webhooks.map((webhook) => ({
    cells: [configuration, text(webhook['name']), text(webhook['failurePolicy']), namespace],
    called: {
      clientConfig: asJsonObject(webhook['clientConfig']),
      bundle: bundleOf(webhook),
      problemOfStatus: (status: number) => {
        if (status === 404) return NO_HOOK;
        return status >= 500 ? `status ${status}` : undefined;
      },
    },
  }));
  return [...rows, ...refused];
}

function converterRow({ crdName, owner, clientConfig, bundle }: Converter): Row {
  return {
    // What cannot be converted cannot be read: there is no policy.
    cells: [`converter/${crdName}`, '', '', owner],
    called: {
      clientConfig,
      bundle,
      problemOfStatus: (status) => (status === 404 ? NO_CONVERTER : undefined),
    },
  };
}
