import { markup, pathTo, type Html, type HtmlValue } from './html.ts';

/** A column of a table: its heading, and whether it holds numbers. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/**
 * A table that becomes a list of cards on a narrow screen. It has the roles of a table in words too, because a browser
 * forgets them when the layout is another.
 */
export function table(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  const all = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const heads = all.map(
    ({ title, isNumber }) =>
      markup`<th role="columnheader" scope="col"${isNumber === true && markup` class="n"`}>${title}</th>`,
  );
  const body = rows.map((cells) => markup`<tr role="row">${cells.map((cell, index) => cellOf(all[index], cell))}</tr>`);
  return markup`<table role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody role="rowgroup">${body}</tbody></table>`;
}

function cellOf(column: Column | undefined, cell: HtmlValue): Html {
  const { title = '', isNumber = false } = column ?? {};
  return markup`<td role="cell" data-label="${title}"${isNumber && markup` class="n"`}>${cell}</td>`;
}

/** What a list says where it has nothing. */
export function empty(text: HtmlValue): Html {
  return markup`<p class="empty">${text}</p>`;
}

/** A section with a heading. */
export function section(title: string, content: HtmlValue, note?: HtmlValue): Html {
  return markup`<section><h2>${title}${note !== undefined && markup` <small>${note}</small>`}</h2>${content}</section>`;
}

/** A state as a word with a color; the word says it all. */
export function badge(word: string, tone: Tone = toneOf(word)): Html {
  return markup`<span class="b ${tone}">${word}</span>`;
}

export type Tone = 'good' | 'bad' | 'warn' | 'live' | 'calm';

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  working: 'good',
  leading: 'good',
  ok: 'good',
  failed: 'bad',
  broken: 'bad',
  dead: 'bad',
  lost: 'bad',
  later: 'warn',
  interrupted: 'warn',
  suspended: 'warn',
  paused: 'warn',
  starting: 'warn',
  running: 'live',
  waiting: 'calm',
};

function toneOf(word: string): Tone {
  return Object.hasOwn(TONES, word) ? (TONES[word] ?? 'calm') : 'calm';
}

/** A time of the present or the past; the script of the page shows how long ago it is. */
export function time(at: string | number | undefined): Html {
  if (at === undefined) return markup`<span class="none">–</span>`;
  const iso = typeof at === 'number' ? new Date(at).toISOString() : at;
  return markup`<time datetime="${iso}" title="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}

/** A duration for people: `38 ms`, `4.2 s`, `12 min`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** A size for people. */
export function bytes(size: number): string {
  return size < 1_048_576 ? `${Math.round(size / 1024)} KiB` : `${(size / 1_048_576).toFixed(1)} MiB`;
}

export function runLink(id: string): Html {
  return markup`<a class="id" href="${pathTo('/run', { id })}">${id.slice(0, 8)}</a>`;
}

export function hookLink(hook: string): Html {
  return markup`<a href="${pathTo('/hook', { name: hook })}">${hook}</a>`;
}

/** A hook, and its binding where it has a name. */
export function hookAndBinding(hook: string, binding: string): Html {
  return markup`${hookLink(hook)}${binding !== '' && markup`<span class="sub"> ${binding}</span>`}`;
}

/** Why a run failed, without what every error of a hook begins with. */
export function errorOf(hook: string, error: string): string {
  const beginning = `hook ${hook} failed: `;
  return error.startsWith(beginning) ? error.slice(beginning.length) : error;
}

/** An object of a kind that may be empty where it is not known. */
export function objectLink(kind: string, object: string): Html {
  const place = object.includes('/') ? object : `/${object}`;
  return markup`<a href="${pathTo('/object', { name: kind === '' ? object : `${kind}/${place}` })}">${object}</a>`;
}

/** A term and what it is, for each pair whose value is not undefined. */
export function facts(pairs: readonly (readonly [term: string, value: HtmlValue])[]): Html {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== false && value !== '');
  return markup`<dl>${shown.map(([term, value]) => markup`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A link to the page that asks for a confirmation; a button to the eye. */
export function actionLink(words: string, query: Readonly<Record<string, string | undefined>>, label?: string): Html {
  const name = label !== undefined && markup` aria-label="${label}"`;
  return markup`<a class="btn" href="${pathTo('/confirm', query)}"${name}>${words}</a>`;
}

/** Fields that filter a list by its URL. */
export function filterForm(path: string, fields: readonly (Html | false)[], clear: boolean): Html {
  return markup`<form class="filter" method="get" action="${path}" role="search">${fields}<button>Filter</button>${clear && markup`<a href="${path}">Clear</a>`}</form>`;
}

/** One text field of a filter. */
export function field(name: string, words: string, value: string | undefined, hint = ''): Html {
  const attributes = markup`name="${name}" value="${value}" placeholder="${hint}"`;
  return markup`<label>${words}<input ${attributes} maxlength="200" autocomplete="off"></label>`;
}

/** One choice of a filter. */
export function choice(name: string, words: string, value: string | undefined, options: readonly string[]): Html {
  const all = ['', ...options].map((one) => {
    const isSelected = one === (value ?? '');
    return markup`<option value="${one}"${isSelected && markup` selected`}>${one === '' ? 'any' : one}</option>`;
  });
  return markup`<label>${words}<select name="${name}">${all}</select></label>`;
}
