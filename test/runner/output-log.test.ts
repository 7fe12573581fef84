import { describe, expect, it } from 'vitest';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const fields = { hook: 'a.sh', binding: 'pods', queue: 'main' };

function logged(line: string, logProxyHookJson: boolean) {
  const log = recordingLogger();
  createOutputLog({ log, logProxyHookJson }).line(fields, { stream: 'stderr', line });
  return log.lines;
}

describe('createOutputLog', () => {
  it('logs a line at info, with the run and the stream', () => {
    expect(logged('hello', true)).toEqual([
      { level: 'info', message: 'hook output', fields: { ...fields, output: 'stderr', line: 'hello' } },
    ]);
  });

  it('makes a line that is a JSON object a log line of its own', () => {
    const line = '{"level":"warning","msg":"disk is full","time":"now","disk":"sda","hook":"not me"}';

    expect(logged(line, true)).toEqual([
      {
        level: 'warn',
        message: 'disk is full',
        fields: { ...fields, output: 'stderr', hook_disk: 'sda', hook_hook: 'not me', proxyJsonLog: true },
      },
    ]);
  });

  it('keeps it a line where that was not asked for', () => {
    const line = '{"level":"warn","msg":"disk is full"}';

    expect(logged(line, false)[0]).toMatchObject({ level: 'info', message: 'hook output', fields: { line } });
  });

  it.each([
    ['{"level":"fatal"}', 'error', 'hook result'],
    ['{"level":7,"msg":3}', 'info', 'hook result'],
    ['{"level":"DEBUG","msg":"x"}', 'debug', 'x'],
  ])('reads %s as %s: %s', (line, level, message) => {
    expect(logged(line, true)[0]).toMatchObject({ level, message });
  });

  it.each(['[1]', '{broken', 'null', '3'])('takes %s for text', (line) => {
    expect(logged(line, true)[0]).toMatchObject({ message: 'hook output', fields: { line } });
  });

  it('logs what a warm hook gave to its log', () => {
    const log = recordingLogger();

    createOutputLog({ log, logProxyHookJson: false }).output(fields, {
      type: 'entry',
      entry: { level: 'error', message: 'no luck', fields: { pod: 'x' } },
    });

    expect(log.lines).toEqual([{ level: 'error', message: 'no luck', fields: { ...fields, hook_pod: 'x' } }]);
  });
});
