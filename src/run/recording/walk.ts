/*
 * Goes through JSON that may have Secrets in it, and says of each text what it is. It is gone through twice: once to learn
 * the values of Secrets, once to replace them, so that both passes agree on where a secret is.
 *
 * What must hold: `data` and `stringData` of an object of the kind Secret are secret wherever the object is: in a list, in
 * an annotation as JSON text, in an operation that patches one. The names of objects, their kinds and versions are not.
 */

import { APPLIED_ANNOTATION } from '../../effects/children/marks.ts';
import { exactText, isExactNumber, parseExactJson } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/json-object.ts';

/**
 * `data` is base64 of a secret, `secret` is one, `text` may contain some, `kept` has none. What is found in the text of an
 * annotation is passed with its own role.
 */
export type Role = 'data' | 'secret' | 'text' | 'kept';

/** What is done with each text and number; returns what replaces it. */
export interface Act {
  readonly text: (value: string, role: Role) => string;
  /** `value` may be a number that is kept as its text, `digits` is that text. */
  readonly number: (value: unknown, digits: string, role: Role) => unknown;
}

/** The parts of a path from the end of which fields are meant; `*` is any key. */
export type RedactPath = readonly string[];

/** Where a value is. */
export interface Scope {
  readonly role: Role;
  /** The keys that lead to it; those of lists are left out. */
  readonly path: readonly string[];
}

export const TEXT: Scope = { role: 'text', path: [] };

type Fields = Readonly<Record<string, unknown>>;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const NAMING = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp']);
const KINDS = new Set(['operation', 'kind', 'apiVersion']);
const BODIES = new Set(['object', 'mergePatch']);
const JQ = new Set(['jqFilter', 'jqPatch']);
const MAX_EMBEDDED = 4 * 1024 * 1024;

/** One pass; see above. */
export class Walk {
  readonly #act: Act;
  readonly #redact: readonly RedactPath[];

  constructor(act: Act, redact: readonly RedactPath[]) {
    this.#act = act;
    this.#redact = redact;
  }

  value(value: unknown, scope: Scope = TEXT): unknown {
    if (typeof value === 'string') return this.#string(value, scope);
    if (typeof value === 'number') return this.#act.number(value, String(value), scope.role);
    if (isExactNumber(value)) return this.#act.number(value, exactText(value), scope.role);
    if (Array.isArray(value)) return value.map((item) => this.value(item, scope));
    return isObject(value) ? this.#object(value, scope) : value;
  }

  /** The body of a Secret, or a part of one as a patch has it. */
  secret(body: Fields, scope: Scope = TEXT): Fields {
    const place = namespaceOf(body);
    return this.fields(body, (key, value) => {
      if (key === 'data' && isObject(value)) {
        // As that of a ServiceAccount has it. Were it a secret, every namespace would have to be masked.
        return this.fields(value, (_name, one) => this.value(one, { ...scope, role: one === place ? 'kept' : 'data' }));
      }
      if (key === 'data') return this.value(value, { ...scope, role: 'data' });
      if (key === 'stringData') return this.value(value, { ...scope, role: 'secret' });
      if (key === 'kind' || key === 'apiVersion') return value;
      if (key === 'metadata') return isObject(value) ? this.#metadata(value, { ...scope, isSecret: true }) : value;
      return this.#field(key, value, scope);
    });
  }

  /** A JSON patch, of a Secret or of anything else. */
  jsonPatch(patch: unknown, isSecret: boolean): unknown {
    if (!Array.isArray(patch)) return isSecret ? this.value(patch, { role: 'secret', path: [] }) : this.value(patch);
    return patch.map((step: unknown) => (isObject(step) ? this.#step(step, isSecret) : this.value(step)));
  }

  /** Each field as `replace` returns it; its name is gone through as a text. */
  fields(value: Fields, replace: (key: string, value: unknown) => unknown): Fields {
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [this.#act.text(key, 'text'), replace(key, one)]));
  }

  #string(value: string, scope: Scope): string {
    if (scope.role !== 'text') return this.#act.text(value, scope.role);
    return this.#embedded(value) ?? this.#act.text(value, 'text');
  }

  /** A text that is JSON with an object in it, such as the annotation of kubectl; undefined for any other. */
  #embedded(text: string): string | undefined {
    if (text.length > MAX_EMBEDDED || !/^\s*[[{]/.test(text) || !/"kind"|\\"kind\\"/.test(text)) return undefined;
    let parsed: unknown;
    try {
      parsed = parseExactJson(text);
    } catch {
      return undefined;
    }
    const before = JSON.stringify(parsed);
    const after = JSON.stringify(this.value(parsed));
    return before === after ? this.#act.text(text, 'text') : this.#act.text(after, 'text');
  }

  #object(value: Fields, scope: Scope): unknown {
    if (scope.role !== 'text') return this.fields(value, (_key, one) => this.value(one, scope));
    if (typeof value['operation'] === 'string') return this.#operation(value, scope);
    const { kind } = value;
    if (isSecretKind(kind)) return this.secret(value, scope);
    const isList = kind === 'SecretList';
    const isNamed = typeof kind === 'string' && typeof value['apiVersion'] === 'string';
    return this.fields(value, (key, one) => {
      if (isList && key === 'items' && Array.isArray(one)) {
        return one.map((item: unknown) => (isObject(item) ? this.secret(item, scope) : this.value(item, scope)));
      }
      if (!isNamed) return this.#field(key, one, scope);
      if (key === 'kind' || key === 'apiVersion') return one;
      if (key !== 'metadata' || !isObject(one)) return this.#field(key, one, scope);
      return this.#metadata(one, { ...scope, isSecret: false });
    });
  }

  #field(key: string, value: unknown, scope: Scope): unknown {
    if (this.#redact.length === 0) return this.value(value, scope);
    const path = [...scope.path, key];
    const isRedacted = this.#redact.some((rule) => endsWith(path, rule));
    return this.value(value, { role: isRedacted ? 'secret' : scope.role, path });
  }

  #metadata(metadata: Fields, { isSecret, ...scope }: Scope & { readonly isSecret: boolean }): Fields {
    const path = [...scope.path, 'metadata'];
    return this.fields(metadata, (key, value) => {
      if (NAMING.has(key)) return value;
      if (!isSecret || key !== 'annotations' || !isObject(value)) return this.#field(key, value, { ...scope, path });
      return this.fields(value, (name, text) => {
        // A hash of what was applied would tell whether a guess is right.
        if (name === APPLIED_ANNOTATION) return this.value(text, { ...scope, role: 'secret' });
        if (name !== LAST_APPLIED || typeof text !== 'string') return this.#field(name, text, { ...scope, path });
        return this.#embedded(text) ?? this.#act.text(text, 'secret');
      });
    });
  }

  #operation(operation: Fields, scope: Scope): Fields {
    const isSecret = isSecretKind(operation['kind']);
    return this.fields(operation, (key, value) => {
      if (KINDS.has(key)) return value;
      if (key === 'jsonPatch') return this.jsonPatch(value, isSecret);
      if (BODIES.has(key)) return this.#body(value, isSecret, scope);
      const isProgram = isSecret && JQ.has(key);
      return isProgram ? this.value(value, { ...scope, role: 'secret' }) : this.#field(key, value, scope);
    });
  }

  /** A text could not be read as what it should be, and may be a Secret. */
  #body(value: unknown, isSecret: boolean, scope: Scope): unknown {
    if (typeof value === 'string') return this.#act.text(value, 'secret');
    return isSecret && isObject(value) ? this.secret(value, scope) : this.value(value, scope);
  }

  #step(step: Fields, isSecret: boolean): Fields {
    const pointer = typeof step['path'] === 'string' ? step['path'] : '';
    const path = pointer.split('/').slice(1).map(unescaped);
    return this.fields(step, (key, value) => {
      if (key !== 'value') return this.value(value);
      const isWhole = path.length === 0 || path[0] === '';
      if (isSecret && isWhole && isObject(value)) return this.secret(value);
      return this.value(value, { role: isSecret ? secretPart(path) : this.#roleAt(path), path });
    });
  }

  #roleAt(path: readonly string[]): Role {
    const keys = path.filter((key) => !/^(?:\d+|-)$/.test(key));
    const isRedacted = keys.some((_, at) => this.#redact.some((rule) => endsWith(keys.slice(0, at + 1), rule)));
    return isRedacted ? 'secret' : 'text';
  }
}

/** The namespace of an object, in base64; undefined where it has none. */
function namespaceOf({ metadata }: Fields): string | undefined {
  const namespace = isObject(metadata) ? metadata['namespace'] : undefined;
  return typeof namespace === 'string' && namespace !== '' ? Buffer.from(namespace).toString('base64') : undefined;
}

/** Whether a kind, as hooks may write it, is that of Secrets. */
export function isSecretKind(kind: unknown): boolean {
  return typeof kind === 'string' && /^secrets?$/i.test(kind);
}

function secretPart([first, second, third]: readonly string[]): Role {
  if (first === 'data') return 'data';
  if (first === 'stringData') return 'secret';
  const isHash = second === 'annotations' && third === APPLIED_ANNOTATION;
  return first === 'metadata' && isHash ? 'secret' : 'text';
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function endsWith(path: readonly string[], rule: RedactPath): boolean {
  const start = path.length - rule.length;
  return start >= 0 && rule.every((part, at) => part === '*' || part === path[start + at]);
}
