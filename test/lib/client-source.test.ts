import { describe, expect, it } from 'vitest';
import { clientSource } from '../../src/lib/client-source.ts';

describe('the source of a client', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    [undefined, ''],
  ])('%s is %j', (address, source) => {
    expect(clientSource(address)).toBe(source);
  });
});
