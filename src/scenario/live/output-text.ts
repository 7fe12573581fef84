import { shown, shownName } from '../../lib/shown.ts';
import type { HookOutput } from '../../runner/executor.ts';

const MAX_FIELDS = 20;

/** What a hook printed or logged, as a line: of an entry of its log the message and then its fields. */
export function outputText(output: HookOutput): string {
  if (output.type === 'line') return output.line.line;
  const { message, fields } = output.entry;
  const shownFields = Object.entries(fields).slice(0, MAX_FIELDS);
  return [String(message), ...shownFields.map(([name, value]) => `${shownName(name)}=${shown(value)}`)].join(' ');
}
