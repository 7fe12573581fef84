import { describe, expect, it } from 'vitest';
import { logLoaded } from '../../src/units/loaded-hook.ts';
import { hookWith, scheduleBinding } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';

describe('logLoaded', () => {
  it('says what a hook binds to, and what is likely a mistake', () => {
    const log = recordingLogger();
    const binding = scheduleBinding('s', { crontab: 'TZ=UTC @every 5m' });

    logLoaded(hookWith('hook.sh', [binding]), 0, log);

    expect(log.lines).toEqual([
      {
        level: 'info',
        message: 'hook loaded',
        fields: { hook: 'hook.sh', bindings: ['schedule s: "TZ=UTC @every 5m", next 1970-01-01T00:05:00.000Z'] },
      },
      {
        level: 'warn',
        message: 'hook config has a likely mistake',
        fields: { hook: 'hook.sh', warning: 'schedule s: the time zone UTC has no effect on @every' },
      },
    ]);
  });
});
