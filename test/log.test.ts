import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../src/errors.ts';
import { createLogger, type LoggerOptions } from '../src/log.ts';

const now = () => new Date(2026, 0, 2, 15, 4, 5, 123);

describe('a log as JSON', () => {
  it('is an object a line, with level and time as text', () => {
    const { log, lines } = rig({ format: 'json' });

    log.info({ hook: 'a.sh', durationMs: 12 }, 'hook finished');

    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { level: 'info', time: now().toISOString(), hook: 'a.sh', durationMs: 12, msg: 'hook finished' },
    ]);
    expect(lines[0]).toMatch(/\}\n$/);
  });

  it('says what an error is and what caused it, without its stack', () => {
    const { log, lines } = rig({ format: 'json' });
    const cause = new Error('connection refused');

    log.error({ err: new HookOutputError('bad file', { cause }) }, 'hook failed');

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      err: {
        type: 'HookOutputError',
        message: 'bad file',
        code: 'ERR_HOOK_OUTPUT',
        cause: { type: 'Error', message: 'connection refused' },
      },
    });
    expect(lines[0]).not.toContain('stack');
  });

  it('shows stacks at debug', () => {
    const { log, lines } = rig({ format: 'json', level: 'debug' });

    log.error({ err: new Error('no') }, 'hook failed');

    expect(lines[0]).toContain('"stack":"Error: no\\n');
  });

  it('takes anything as an error', () => {
    const { log, lines } = rig({ format: 'json' });

    log.error({ err: 'a string' }, 'hook failed');

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: 'a string' });
  });
});

describe('what others have a log say', () => {
  const evil = 'a\u001b]0;owned\u0007\u009b2J\u202eb';
  const shown = String.raw`a\u001b]0;owned\u0007\u009b2J\u202eb`;

  it.each([
    ['a line that a hook printed', { hook: 'a.sh', line: evil }, 'hook output'],
    ['the name of a hook that printed', { hook: evil, line: 'x' }, 'hook output'],
    ['a name', { name: evil }, 'hook finished'],
    ['the name of a field', { [evil]: 1 }, 'hook finished'],
    ['a list of texts', { list: [evil, 'b c'] }, 'try next'],
    ['an object', { object: { [evil]: [evil] } }, 'hook finished'],
    ['an error', { err: new Error(`no\n${evil}`, { cause: new Error(`why ${evil}`) }) }, 'hook failed'],
    ['a message', {}, evil],
  ])('does not steer a terminal: %s', (_, fields, message) => {
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = rig({ format });

      log.info(fields, message);

      expect(lines.join('')).toMatch(/^[ -~\n]+$/);
      expect(lines.join('')).toContain(format === 'json' ? 'owned' : shown.slice(0, 7));
    }
  });

  it('cannot be taken for a line of its own', () => {
    const { log, lines } = rig({ format: 'text' });

    log.info({ hook: 'a\n15:04:05.123 INFO  forged', line: 'x\n15:04:05.123 INFO  forged' }, 'hook output');
    log.info({ err: new Error('no\n15:04:05.123 INFO  forged') }, 'well\n15:04:05.123 INFO  forged');

    expect(lines.join('')).not.toMatch(/^15:04:05.123 INFO {2}forged/m);
  });

  it('reads as it was from JSON', () => {
    const { log, lines } = rig({ format: 'json' });

    log.info({ line: evil }, 'hook output');

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ line: evil });
  });
});

describe('a log for people', () => {
  it('is a time, a level, a message and its fields', () => {
    const { log, lines } = rig({ format: 'text' });

    log.info({ hook: 'a.sh', binding: 'my pods', durationMs: 12 }, 'hook finished');

    expect(lines).toEqual(['15:04:05.123 INFO  hook finished  hook=a.sh binding="my pods" durationMs=12\n']);
  });

  it('shows what a hook printed as the hook printed it', () => {
    const { log, lines } = rig({ format: 'text' });

    log.info({ hook: 'a.sh', binding: 'pods', output: 'stdout', line: 'copied 3 "secrets"' }, 'hook output');

    expect(lines).toEqual(['15:04:05.123 INFO  a.sh | copied 3 "secrets"\n']);
  });

  it('shows an error of several lines below', () => {
    const { log, lines } = rig({ format: 'text' });

    log.error({ hook: 'a.sh', err: new HookOutputError('two problems:\n  one\n  two') }, 'hook failed');

    expect(lines).toEqual([
      '15:04:05.123 ERROR hook failed  hook=a.sh\n    err: two problems:\n      one\n      two\n',
    ]);
  });

  it('has colors only where asked', () => {
    const { log, lines } = rig({ format: 'text', colors: true });

    log.warn({}, 'watch interrupted');

    expect(lines[0]).toContain('\u001b[33mWARN \u001b[39m');
  });
});

describe.each(['json', 'text'] as const)('a log as %s', (format) => {
  it('leaves out what is below its level', () => {
    const { log, lines } = rig({ format, level: 'warn' });

    log.debug({}, 'one');
    log.info({}, 'two');
    log.warn({}, 'three');
    log.error({}, 'four');

    expect(lines).toHaveLength(2);
  });

  it('leaves out of its children what is below its level', () => {
    const { log, lines } = rig({ format, level: 'warn' });
    const child = log.child({ hook: 'a.sh' });

    child.info({}, 'one');
    child.warn({}, 'two');

    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('two');
  });

  it('adds the fields of every ancestor', () => {
    const { log, lines } = rig({ format });

    log.child({ hook: 'a.sh' }).child({ queue: 'main' }).info({ attempt: 2 }, 'run');

    expect(lines[0]).toMatch(/hook.*a\.sh.*queue.*main.*attempt.*2/);
  });

  it('loses nothing when the process ends at once', () => {
    const module = fileURLToPath(new URL('../src/log.ts', import.meta.url));
    const script = `
      const { createLogger } = await import(${JSON.stringify(module)});
      const log = createLogger({ format: '${format}', level: 'info' });
      for (let i = 0; i < 5000; i += 1) log.info({ i }, 'line');
      process.exit(0);
    `;

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });

    expect(stdout.split('\n')).toHaveLength(5001);
  });
});

it('the level of all loggers may change', () => {
  const { log, lines } = rig({ format: 'json', level: 'error' });
  const child = log.child({ hook: 'a.sh' });

  child.debug({}, 'before');
  log.level = 'debug';
  child.debug({ err: new Error('no') }, 'after');

  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { msg: 'after', err: { stack: expect.any(String) } },
  ]);
});

function rig(options: Pick<LoggerOptions, 'format'> & Partial<LoggerOptions>) {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', now, write: (line) => lines.push(line), ...options });
  return { log, lines };
}
