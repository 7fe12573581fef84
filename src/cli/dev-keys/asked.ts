/*
 * What the keys of `hooklet dev` ask hooks that answer a caller: the sandbox is asked as kubectl asks it, by dry run, so
 * that it calls the webhooks; objects are read in another version, so that it has them converted; and requests of `http`
 * bindings go to the port of the operator, with a token or a signature as a caller has them.
 */

import { createHmac } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, type Sandbox } from '@hooklet/sandbox';
import type { AdmissionBinding, AdmissionRule, ConversionBinding } from '../../hook/ask-binding.ts';
import type { HttpBinding } from '../../hook/http-binding.ts';
import { shownText } from '../../lib/shown.ts';
import type { Choice, Sent } from './choices.ts';

/** Where requests go. */
export interface Asked {
  readonly sandbox: Pick<Sandbox, 'state' | 'pathOf' | 'call' | 'token'>;
  /** Makes a request to a path of the operator's own port; resolves to what it answered. */
  readonly post: (path: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Reply>;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly nowMs: () => number;
}

interface Reply {
  readonly code: number;
  readonly text: string;
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];
const MAX_CHOICES = 99;
/** As long as an API server waits for a webhook. */
const REVIEW_LIMIT_MS = 30_000;
const MAX_SHOWN = 2000;

/** A dry run of each operation that the webhook judges, of an object that is there. */
export function admissionChoices(asked: Asked, hook: string, binding: AdmissionBinding): readonly Choice[] {
  const operations = OPERATIONS.filter((operation) =>
    binding.rules.some(({ operations: some }) => some.includes(operation) || some.includes('*')),
  );
  return operations.map((operation) => {
    const rules = binding.rules.filter(({ operations: some }) => some.includes(operation) || some.includes('*'));
    const what = rules.flatMap(({ resources }) => resources).join(', ');
    return {
      text: `${hook} ${binding.name}: a dry run of ${operation} of ${what}`,
      send: () => {
        const judged = ({ object, path }: Found): boolean => rules.some((rule) => isMatch(rule, object, path));
        const ask = (found: Found): Sent => waiting(review(asked, operation, found));
        return chosen(`${operation} of which object?`, foundIn(asked).filter(judged), ask, what);
      },
    };
  });
}

/** An object that is there, read in each version to which the hook converts. */
export function conversionChoices(asked: Asked, hook: string, binding: ConversionBinding): readonly Choice[] {
  const { crdName, conversions } = binding;
  const [plural = '', ...rest] = crdName.split('.');
  const group = rest.join('.');
  const versions = new Set(conversions.map(({ toVersion }) => toVersion.replace(/^.*\//, '')));
  return [...versions].map((version) => ({
    text: `${hook} ${binding.name}: read one of ${plural} as ${version}`,
    send: () => {
      const isMeant = ({ object, path }: Found): boolean => groupOf(object) === group && resourceIn(path) === plural;
      const ask = ({ object }: Found): Sent =>
        waiting(
          (async () => {
            const path = asked.sandbox.pathOf({ ...object, apiVersion: `${group}/${version}` });
            const { code, body } = await asked.sandbox.call('GET', path);
            return code < 300 ? `${code}: ${shownText(JSON.stringify(body), MAX_SHOWN)}` : problemIn(code, body);
          })(),
        );
      return chosen(`which of ${plural}?`, foundIn(asked).filter(isMeant), ask, plural);
    },
  }));
}

/** A request whose body is typed. */
export function httpChoice(asked: Asked, hook: string, binding: HttpBinding): Choice {
  const path = `/trigger/${[...hook.split('/'), binding.name].map(encodeURIComponent).join('/')}`;
  return {
    text: `${hook} ${binding.name}: a request to ${path}`,
    send: () => ({
      type: 'text',
      title: 'the body (Enter for none)',
      send: (body) =>
        waiting(
          (async () => {
            const headers = { 'content-type': 'application/json', ...(await credentials(asked, binding, body)) };
            const { code, text } = await asked.post(path, headers, body);
            return `${code}: ${shownText(text.trim(), MAX_SHOWN)}`;
          })(),
        ),
    }),
  };
}

interface Found {
  readonly object: JsonObject;
  readonly path: string;
}

function foundIn({ sandbox }: Asked): readonly Found[] {
  return sandbox.state.objects.flatMap(({ object }) => {
    try {
      return [{ object, path: sandbox.pathOf(object) }];
    } catch {
      // Of a version that is not served any more.
      return [];
    }
  });
}

function chosen(title: string, found: readonly Found[], send: (one: Found) => Sent, what: string): Sent {
  if (found.length === 0) return { type: 'sent', what: `nothing: the sandbox has none of ${what}` };
  const choices = found.slice(0, MAX_CHOICES).map((one) => ({ text: placeOf(one.object), send: () => send(one) }));
  return { type: 'choose', title, choices };
}

function waiting(answer: Promise<string>): Sent {
  const until = answer.then((what): Sent => ({ type: 'answered', what }));
  return { type: 'wait', title: 'asked', until, late: 'nothing: no answer within 30 s', limitMs: REVIEW_LIMIT_MS };
}

async function review({ sandbox }: Asked, operation: Operation, { object, path }: Found): Promise<string> {
  const collection = path.slice(0, path.lastIndexOf('/'));
  const asking = {
    CREATE: async () => sandbox.call('POST', `${collection}?dryRun=All`, copyOf(object)),
    UPDATE: async () => sandbox.call('PUT', `${path}?dryRun=All`, object),
    DELETE: async () => sandbox.call('DELETE', `${path}?dryRun=All`),
  };
  const { code, body } = await asking[operation]();
  if (code >= 300) return problemIn(code, body);
  const left = operation === 'DELETE' ? '' : ` as ${shownText(JSON.stringify(body), MAX_SHOWN)}`;
  return `${code}: allowed${left}`;
}

const KEPT = ['namespace', 'labels', 'annotations'];

/** A new object like one that is there. */
function copyOf({ status: _status, metadata, ...rest }: JsonObject): JsonObject {
  const given = isJsonObject(metadata) ? metadata : {};
  const kept = Object.entries(given).filter(([field]) => KEPT.includes(field));
  return { ...rest, metadata: { generateName: `${textOf(given['name'])}-`, ...Object.fromEntries(kept) } };
}

function problemIn(code: number, body: JsonValue): string {
  return `${code}: ${isJsonObject(body) && typeof body['message'] === 'string' ? body['message'] : JSON.stringify(body)}`;
}

function isMatch({ apiGroups, resources }: AdmissionRule, object: JsonObject, path: string): boolean {
  const isOf = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);
  return isOf(apiGroups, groupOf(object)) && (isOf(resources, resourceIn(path)) || resources.includes('*/*'));
}

function groupOf({ apiVersion }: JsonObject): string {
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.replace(/\/.*$/, '') : '';
}

function resourceIn(path: string): string {
  return path.split('/').at(-2) ?? '';
}

function placeOf({ kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  const place = [namespace, name].map(textOf).filter((part) => part !== '');
  return `${textOf(kind)} ${place.join('/')}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

async function credentials(
  { sandbox, readFile, nowMs }: Asked,
  { authentication }: HttpBinding,
  body: string,
): Promise<Readonly<Record<string, string>>> {
  if (authentication.type === 'token') return { authorization: `Bearer ${sandbox.token}` };
  const secret = await readFile(authentication.secretFile);
  const signed = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');
  if (authentication.type === 'github') return { 'x-hub-signature-256': `sha256=${signed(body)}` };
  const at = String(Math.floor(nowMs() / 1000));
  return { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${signed(`v0:${at}:${body}`)}` };
}
