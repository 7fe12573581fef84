import { printable } from '../../lib/printable.ts';
import { shownText } from '../../lib/shown.ts';

/** A piece of HTML that is safe to send. Only `markup` makes one of text, which it escapes. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: a list is joined, and `undefined` and `false` are nothing. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Texts are cut at this length, unless they are from `longText`. */
const MAX_CHARS = 600;

/**
 * A template of HTML. Each value is escaped for the text of an element and for an attribute in quotes, cut where it is
 * long, and printable: no control characters, and none that reorder text.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = [strings[0] ?? ''];
  for (const [index, value] of values.entries()) parts.push(textOf(value), strings[index + 1] ?? '');
  return new Html(parts.join(''));
}

export const NOTHING = new Html('');

/** A text that may be long, such as a line of output. */
export function longText(text: string, maxChars: number): Html {
  return new Html(escaped(shownText(text, maxChars)));
}

function textOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? escaped(shownText(value, MAX_CHARS)) : value.map(textOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A path of the page with its query; parameters without a value are left out. */
export function pathTo(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
