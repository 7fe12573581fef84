import type { RemoteLine } from '../../hook/remote-run.ts';
import type { HookOutput } from '../../runner/executor.ts';

/** What a hook printed or logged, as it is sent. */
export function remoteLine(output: HookOutput): RemoteLine {
  if (output.type === 'line') return output.line;
  const { level, message, fields } = output.entry;
  return { stream: 'stdout', line: message, entry: { level, fields } };
}
