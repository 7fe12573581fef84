import { describe, expect, it } from 'vitest';
import { attributeName, plainFlags } from '../../src/cli/plain-flags.ts';

const KNOWN = ['--hooks-dir <dir>', '--listen-port <port>', '--debug-keep-tmp-files'];

describe('plainFlags', () => {
  it.each([
    [[], {}],
    [['--hooks-dir', 'a b'], { hooksDir: 'a b' }],
    [['--hooks-dir=a=b\nc'], { hooksDir: 'a=b\nc' }],
    [['--hooks-dir='], { hooksDir: '' }],
    [['--hooks-dir', ''], { hooksDir: '' }],
    [['--listen-port', '1', '--debug-keep-tmp-files'], { listenPort: '1', debugKeepTmpFiles: true }],
    [['--listen-port', '1', '--listen-port=2'], { listenPort: '2' }],
  ])('reads %j', (argv, flags) => {
    expect(plainFlags(argv, KNOWN)).toEqual(flags);
  });

  it.each([
    [['--hooks-dir']],
    [['--hooks-dir', '--help']],
    [['--hooks-dir', '-V']],
    [['--hooks']],
    [['--help']],
    [['-h']],
    [['--']],
    [['hooks']],
    [['--debug-keep-tmp-files=true']],
    [['--debug-keep-tmp-files', 'yes']],
  ])('leaves %j to the parser', (argv) => {
    expect(plainFlags(argv, KNOWN)).toBeUndefined();
  });
});

it('an attribute is the name of the flag in one word', () => {
  expect([attributeName('--hooks-dir <dir>'), attributeName('--leader-elect')]).toEqual(['hooksDir', 'leaderElect']);
});
