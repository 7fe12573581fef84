import type { KnownValues } from './known-values.ts';
import { newlinesAtEnd, type Marks } from './marks.ts';
import { isSecretKind, TEXT, Walk, type Act, type RedactPath, type Role } from './walk.ts';
import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What is known of a hook, for masking. */
export interface MaskRules {
  readonly redact: readonly RedactPath[];
  /** The names of its bindings, and of entries of `watches`, whose objects are Secrets. */
  readonly secretBindings: ReadonlySet<string>;
  /** The names and namespaces of the objects that the run is about: they are no secrets. */
  readonly names: ReadonlySet<string>;
}

/** One pass over the parts of a recording. */
export interface Pass {
  context(context: Fields): Fields;
  /** Of an admission response: a JSON patch in base64 of an object that is a Secret, or is not. */
  admission(response: unknown, isSecret: boolean): unknown;
  value(value: unknown): unknown;
}

/** The pass that makes the values of Secrets known; what it returns is what it was given. */
export function learning(known: KnownValues, rules: MaskRules): Pass {
  const learn = (value: string, role: Role): void => {
    if (role === 'data') known.learn(Buffer.from(value, 'base64'));
    else if (role === 'secret') known.learn(Buffer.from(value));
  };
  return passOf(
    {
      text: (value, role) => {
        learn(value, role);
        return value;
      },
      number: (value, digits, role) => {
        learn(digits, role === 'data' ? 'secret' : role);
        return value;
      },
    },
    rules,
  );
}

/** The pass that replaces them. */
export function masking(known: KnownValues, marks: Marks, rules: MaskRules): Pass {
  return passOf(
    {
      text: (value, role) => {
        switch (role) {
          case 'data':
            return maskedData(value, marks);
          case 'secret':
            return value === '' ? '' : marks.of(value);
          case 'text':
            return known.replace(value);
          case 'kept':
            return value;
        }
      },
      number: (value, digits, role) => {
        const isSecret = role === 'secret' || role === 'data' || (role === 'text' && known.replace(digits) !== digits);
        // A number, for a program that calculates with it.
        return isSecret ? Number.parseInt(marks.of(digits).slice(-8), 16) : value;
      },
    },
    rules,
  );
}

/** Base64 again; newlines at the end of the value stay. */
function maskedData(value: string, marks: Marks): string {
  if (value === '') return '';
  const bytes = Buffer.from(value, 'base64');
  return Buffer.from(`${marks.of(bytes)}${newlinesAtEnd(bytes)}`).toString('base64');
}

/** Written by hooklet itself, from the config of the hook. */
const OWN_MEMBERS = new Set(['binding', 'groupName', 'type', 'watchEvent', 'runId', 'reason', 'scheduledAt']);

function passOf(act: Act, rules: MaskRules): Pass {
  const walk = new Walk(act, rules.redact);
  const item = (value: unknown): unknown =>
    isObject(value) ? secretItem(value, { walk, act, rules }) : walk.value(value);
  const items = (value: unknown, isSecret: boolean): unknown =>
    isSecret && Array.isArray(value) ? value.map(item) : walk.value(value);
  const lists = (value: unknown, isSecret: (name: string) => boolean): unknown =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, list]) => [name, items(list, isSecret(name))]))
      : walk.value(value);
  const isBound = (name: string): boolean => rules.secretBindings.has(name);
  return {
    value: (value) => walk.value(value),
    context: (context) => {
      const isSecret = isBound(String(context['binding']));
      const replaced = isSecret ? secretItem(context, { walk, act, rules }) : {};
      return Object.fromEntries(
        Object.entries(context).map(([key, value]) => {
          if (OWN_MEMBERS.has(key)) return [key, value];
          if (key === 'snapshots' || key === 'watched') return [key, lists(value, isBound)];
          if (key === 'owned') return [key, lists(value, isSecretKind)];
          if (key === 'objects') return [key, items(value, isSecret)];
          return [key, Object.hasOwn(replaced, key) ? replaced[key] : walk.value(value)];
        }),
      );
    },
    admission: (response, isSecret) =>
      isObject(response)
        ? walk.fields(response, (key, value) =>
            key === 'patch' ? patched(value, { walk, isSecret }) : walk.value(value),
          )
        : walk.value(response),
  };
}

function patched(patch: unknown, { walk, isSecret }: { readonly walk: Walk; readonly isSecret: boolean }): unknown {
  if (typeof patch !== 'string') return walk.jsonPatch(patch, isSecret);
  try {
    const steps: unknown = JSON.parse(Buffer.from(patch, 'base64').toString());
    return Buffer.from(JSON.stringify(walk.jsonPatch(steps, isSecret))).toString('base64');
  } catch {
    return walk.value(patch, { ...TEXT, role: isSecret ? 'secret' : 'text' });
  }
}

interface ItemParts {
  readonly walk: Walk;
  readonly act: Act;
  readonly rules: MaskRules;
}

/** A Secret as a binding sees it. Whatever its filter made of it is secret, but what its metadata says too. */
function secretItem(item: Fields, { walk, act, rules }: ItemParts): Fields {
  const { object } = item;
  const open = new Set([...rules.names, ...(isObject(object) ? publicTexts(object) : [])]);
  const strict = new Walk(
    {
      ...act,
      text: (value, role) => (open.has(value) ? value : act.text(value, role)),
      number: (value, digits, role) => (digits.length < 6 ? value : act.number(value, digits, role)),
    },
    [],
  );
  const keys = Object.entries(item).map(([key, value]) => {
    if (key === 'filterResult') return [key, strict.value(value, { ...TEXT, role: 'secret' })];
    if (key === 'filterError')
      return [key, isObject(object) ? walk.value(value) : strict.value(value, { ...TEXT, role: 'secret' })];
    return [key, key === 'object' && isObject(value) ? walk.secret(value) : walk.value(value)];
  });
  return Object.fromEntries(keys);
}

/** The texts and the keys of a Secret besides its values. */
function publicTexts(secret: Fields): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) for (const one of value) collect(one);
    else if (isObject(value)) {
      for (const [key, one] of Object.entries(value)) {
        texts.push(key);
        collect(one);
      }
    }
  };
  const { data, stringData: _text, metadata, ...rest } = secret;
  const { annotations, ...named } = isObject(metadata) ? metadata : {};
  for (const part of [rest, named]) collect(part);
  for (const part of [data, annotations]) if (isObject(part)) texts.push(...Object.keys(part));
  return texts;
}
