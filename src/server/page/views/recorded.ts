import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { longText, markup, type Html, type HtmlValue } from '../html.ts';
import type { PageModel } from '../model.ts';
import { empty, section, table } from '../parts.ts';
import { askedChanges, type AskedChange } from './asked-changes.ts';
import { isObject } from '../../../lib/json-object.ts';

const MAX_PACKED = 256 * 1024;
const MAX_UNPACKED = 1024 * 1024;
const MAX_SHOWN = 64 * 1024;
const MAX_CHANGES = 20;
const MAX_LINES = 30;
/** How much JSON of objects is compared for one page. */
const MAX_COMPARED = 512 * 1024;
const TOO_LARGE = 'too large for the page: export the run';

const unpack = promisify(gunzip);

/**
 * What a recording adds to a run, masked as it was recorded: how the objects that it changed were, as the hook saw them,
 * and what it asked; and its binding contexts. False where the run was not recorded.
 */
export async function recordedParts(id: string, model: PageModel): Promise<Html | false> {
  const { recordings } = model.view;
  const state = recordings?.state(id);
  if (state?.type !== 'kept') return false;
  const recording = state.bytes > MAX_PACKED ? undefined : await unpacked(await recordings?.read(id));
  const shown =
    recording === undefined
      ? empty('They are too large for the page, or cannot be read: export the run.')
      : markup`<pre tabindex="0" role="region" aria-label="Binding contexts">${longText(contextsText(recording), MAX_SHOWN)}</pre>`;
  const contexts = section('Binding contexts', shown, 'as recorded: what is secret is masked');
  return markup`${[recording !== undefined && changes(recording, model), contexts]}`;
}

/** Undefined where it is too large or cannot be read. */
async function unpacked(bytes: Uint8Array | undefined): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (bytes === undefined) return undefined;
  try {
    const text = await unpack(bytes, { maxOutputLength: MAX_UNPACKED });
    const recording: unknown = JSON.parse(text.toString());
    return isObject(recording) ? recording : undefined;
  } catch {
    return undefined;
  }
}

function contextsText({ contexts }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(contexts, undefined, 2) ?? '';
}

function changes(recording: Readonly<Record<string, unknown>>, model: PageModel): Html | false {
  const { changes: all, count } = askedChanges(recording, MAX_CHANGES);
  if (count === 0) return false;
  let left = MAX_COMPARED;
  const rows = all.map((one) => {
    left -= one.states === undefined ? 0 : JSON.stringify(one.states).length;
    return rowOf(left < 0 ? { ...withoutStates(one), lines: [TOO_LARGE] } : one, model);
  });
  const more = count > all.length && `, ${count - all.length} more`;
  const note = markup`as the hook saw them → as it asked${more}; what was carried out is under Patches`;
  return section('Changes of objects', table('Changes of objects', ['Object', 'Operation', 'Fields'], rows), note);
}

function withoutStates({ states: _states, ...rest }: AskedChange): AskedChange {
  return rest;
}

function rowOf(
  { operation, target, states, lines, note }: AskedChange,
  { changeTexts }: PageModel,
): readonly HtmlValue[] {
  const texts = states === undefined ? lines : changeTexts(states);
  const shown = texts.slice(0, MAX_LINES).map((line) => markup`<li><code>${line}</code></li>`);
  const more = texts.length > MAX_LINES && markup`<li>and ${texts.length - MAX_LINES} more</li>`;
  const none = texts.length === 0 && states !== undefined && 'nothing differs';
  const remark = note !== undefined && markup` <span class="sub">${note}</span>`;
  return [target, operation, markup`${none}<ul class="lines">${shown}${more}</ul>${remark}`];
}
