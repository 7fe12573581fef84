import { describe, expect, it } from 'vitest';
import { jobsSettings } from '../../src/cli/options/jobs-options.ts';
import { startOptions } from '../../src/cli/options/options.ts';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { UsageError } from '../../src/errors.ts';

const settingsOf = (env: Readonly<Record<string, string>>) => jobsSettings(resolveOptions(startOptions, {}, env));

describe('the options of Jobs', () => {
  it('have a brake of 10 Jobs at the same time and 1 in a second, which 0 takes away', () => {
    expect(settingsOf({})).toMatchObject({ maxAtOnce: 10, maxPerSecond: 1 });
    expect(settingsOf({ HOOKLET_JOBS_PER_SECOND: '0' })).toMatchObject({ maxPerSecond: Number.POSITIVE_INFINITY });
  });

  it('take the addresses of several replicas', () => {
    const urls = ['https://10.0.0.1:9682', 'https://hooklet.example.com'];

    expect(settingsOf({ HOOKLET_JOBS_URL: urls.join(', ') })).toMatchObject({ urls });
  });

  it.each([
    ['HOOKLET_JOBS_URL', 'host:9682', 'URLs such as https://host:9682'],
    ['HOOKLET_JOBS_URL', 'https://host:9682,http://host', 'URLs such as https://host:9682'],
    ['HOOKLET_JOBS_URL', 'https://host/jobs', 'without a user, a path and a query'],
    ['HOOKLET_JOBS_URL', 'https://user@host', 'without a user, a path and a query'],
    ['HOOKLET_JOBS_SERVICE_NAME', 'A b', 'the name of a Service'],
    ['HOOKLET_JOBS_SERVICE_NAME', 'a.b', 'the name of a Service'],
    ['HOOKLET_JOBS_MAX', '0', 'a whole number of 1 or more'],
    ['HOOKLET_JOBS_MAX', '1.5', 'a whole number of 1 or more'],
  ])('refuse %s=%s before anything is started', (name, value, expected) => {
    expect(() => settingsOf({ [name]: value })).toThrow(UsageError);
    expect(() => settingsOf({ [name]: value })).toThrow(expected);
  });
});
