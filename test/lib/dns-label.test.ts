import { expect, it } from 'vitest';
import { dnsLabel } from '../../src/lib/dns-label.ts';

it.each([
  ['002-x/Backup.sh', 63, '002-x-backup-sh'],
  ['--a__b--', 63, 'a-b'],
  ['nightly dumps', 8, 'nightly'],
  ['ä', 63, ''],
])('a DNS label of %j with at most %i characters is %j', (text, most, label) => {
  expect(dnsLabel(text, most)).toBe(label);
});
