import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogLevels } from '../../src/log.ts';
import { LogLevelConfig } from '../../src/operator/control/runtime-config.ts';
import { recordingLogger } from '../support/recording-logger.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

function rig(level: LogLevels['level'] = 'info') {
  const levels: LogLevels = { level };
  return { levels, config: new LogLevelConfig({ levels, now: Date.now, log: recordingLogger() }) };
}

describe('log.level', () => {
  it('is that of the start', () => {
    expect(rig('warn').config.list()).toEqual([
      {
        name: 'log.level',
        description: 'Global log level. Default duration for debug level is 30m0s',
        default: 'warn',
        value: 'warn',
      },
    ]);
  });

  it('is set for good', () => {
    const { levels, config } = rig();
    config.set('log.level', 'error', undefined);
    vi.advanceTimersByTime(86_400_000);

    expect(levels.level).toBe('error');
    expect(config.list()).toEqual([expect.objectContaining({ default: 'info', value: 'error' })]);
  });

  it('debug ends after 30 min', () => {
    const { levels, config } = rig();
    config.set('log.level', 'DEBUG', undefined);

    expect(config.list()).toMatchObject([{ value: 'DEBUG', expireAt: '2026-01-01T00:30:00Z' }]);
    vi.advanceTimersByTime(30 * 60_000 - 1);
    expect(levels.level).toBe('debug');
    vi.advanceTimersByTime(1);
    expect(levels.level).toBe('info');
    expect(config.list()[0]).not.toHaveProperty('expireAt');
  });

  it('set for a time ends with the one that was set for good', () => {
    const { levels, config } = rig();
    config.set('log.level', 'warn', undefined);
    config.set('log.level', 'debug', 10_000);
    config.set('log.level', 'error', 20_000);

    vi.advanceTimersByTime(10_000);
    expect(levels.level).toBe('error');
    vi.advanceTimersByTime(10_000);
    expect(levels.level).toBe('warn');
  });

  it('set for good ends the time of another', () => {
    const { levels, config } = rig();
    config.set('log.level', 'debug', 10_000);
    config.set('log.level', 'error', undefined);

    vi.advanceTimersByTime(10_000);
    expect(levels.level).toBe('error');
    expect(config.list()[0]).not.toHaveProperty('expireAt');
  });

  it.each([
    ['trace', 'debug'],
    ['fatal', 'error'],
    ['Warn', 'warn'],
  ])('%s is %s', (word, level) => {
    const { levels, config } = rig();
    config.set('log.level', word, undefined);

    expect(levels.level).toBe(level);
  });

  it.each(['loud', '', 'constructor'])('is not %j', (value) => {
    const { levels, config } = rig();

    expect(() => config.set('log.level', value, undefined)).toThrow("'value' parameter is invalid: no level found");
    expect(levels.level).toBe('info');
  });

  it('is the only parameter', () => {
    expect(() => rig().config.set('log.format', 'json', undefined)).toThrow('unknown runtime parameter "log.format"');
  });
});
