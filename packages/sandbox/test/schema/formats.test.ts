import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/schema/formats.ts';

describe('a string format', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['byte', ['', 'dg==', 'dmFs'], ['*', 'dg=']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/33', 'x/8']],
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-29', 'x']],
    ['date-time', ['2024-02-29T10:00:00Z', '2024-02-29t10:00:00.123+01:00'], ['2024-02-29', '2024-02-29T25:00:00Z']],
    ['duration', ['1h30m', '1.5s', '-2ms', '0', '22 ns', '3 days'], ['x', '1', '1y']],
    ['email', ['a@b'], ['a', 'a b@c']],
    ['hostname', ['a.example.com', 'A1'], ['-a', 'a..b', 'a_b']],
    ['ipv4', ['10.0.0.1'], ['10.0.0.256', '::1']],
    ['ipv6', ['::1'], ['10.0.0.1']],
    ['mac', ['00:11:22:33:44:55', '0011.2233.4455'], ['00:11:22:33:44', 'x']],
    ['uri', ['https://example.com/x', '/x'], ['x y']],
    ['uuid', ['0f8fad5b-d9cb-469f-a165-70867728950e', '0F8FAD5BD9CB469FA16570867728950E'], ['0f8fad5b']],
    ['uuid4', ['0f8fad5b-d9cb-469f-a165-70867728950e'], ['0f8fad5b-d9cb-369f-a165-70867728950e']],
  ])('%s accepts %j and refuses %j', (format, accepted, refused) => {
    const check = FORMATS[format] ?? ((): boolean => false);

    expect(accepted.filter(check)).toEqual(accepted);
    expect(refused.filter(check)).toEqual([]);
  });
});
