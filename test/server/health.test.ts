import { describe, expect, it } from 'vitest';
import { healthText, isHealthy, type HealthCheck } from '../../src/server/health.ts';

const good: HealthCheck = { name: 'watch v1/pods', isOk: true, message: '' };
const noted: HealthCheck = { name: 'hooks', isOk: true, message: '3 loaded' };
const bad: HealthCheck = { name: 'hook x.sh', isOk: false, message: 'two problems:\none' };
const tolerated: HealthCheck = { ...bad, isOk: true, isTolerated: true };
const silent: HealthCheck = { name: 'startup', isOk: false, message: '' };

describe('a health report', () => {
  it.each([
    { title: 'nothing to check', checks: [], verbose: false, text: 'ok\n' },
    { title: 'all well', checks: [good, noted], verbose: false, text: 'ok\n' },
    {
      title: 'all well, each',
      checks: [good, noted],
      verbose: true,
      text: '[+]watch v1/pods ok\n[+]hooks ok: 3 loaded\nreadyz check passed\n',
    },
    {
      title: 'what is tolerated',
      checks: [good, tolerated],
      verbose: true,
      text: '[+]watch v1/pods ok\n[!]hook x.sh: two problems:\n    one\nreadyz check passed\n',
    },
    {
      title: 'what fails',
      checks: [good, bad, silent],
      verbose: false,
      text: '[-]hook x.sh: two problems:\n    one\n[-]startup failed\nreadyz check failed\n',
    },
    {
      title: 'what fails among all',
      checks: [good, silent],
      verbose: true,
      text: '[+]watch v1/pods ok\n[-]startup failed\nreadyz check failed\n',
    },
  ])('prints: $title', ({ checks, verbose, text }) => {
    expect(healthText({ checks }, { endpoint: 'readyz', verbose })).toBe(text);
  });

  it('shows what would steer a terminal, and cuts what is longer than 1000 characters', () => {
    const evil: HealthCheck = { name: 'hook \u001b[2J\nx', isOk: false, message: `\u009b${'y'.repeat(5000)}` };

    const text = healthText({ checks: [evil] }, { endpoint: 'readyz', verbose: false });

    expect(text).toBe(`[-]hook \\u001b[2J\\nx: \\u009b${'y'.repeat(999)}…\nreadyz check failed\n`);
  });

  it('is good when every check is', () => {
    expect(isHealthy({ checks: [good, noted, tolerated] })).toBe(true);
    expect(isHealthy({ checks: [good, bad] })).toBe(false);
  });
});
