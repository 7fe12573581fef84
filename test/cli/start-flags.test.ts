import { describe, expect, it } from 'vitest';
import { hiddenStartFlags, startFlags } from '../../src/cli/start-flags.ts';

describe('startFlags', () => {
  it.each([
    [[], {}],
    [['--hooks-dir', 'a b'], { hooksDir: 'a b' }],
    [['--hooks-dir=a=b\nc'], { hooksDir: 'a=b\nc' }],
    [['--hooks-dir='], { hooksDir: '' }],
    [['--hooks-dir', ''], { hooksDir: '' }],
    [['--hooks-dir=-a'], { hooksDir: '-a' }],
    [['--listen-port', '1', '--debug-keep-tmp-files'], { listenPort: '1', debugKeepTmpFiles: true }],
    [['--listen-port', '1', '--listen-port=2'], { listenPort: '2' }],
    [['--log-type', 'json', '--kube-server', 'x'], { logType: 'json', kubeServer: 'x' }],
  ])('reads %j', (args, flags) => {
    expect(startFlags(args)).toEqual(flags);
  });

  it.each([
    [['--hooks-dir']],
    [['--hooks-dir', '--help']],
    [['--hooks-dir', '-V']],
    [['--hooks']],
    [['--no-leader-elect']],
    [['--help']],
    [['-h']],
    [['hooks']],
    [['--debug-keep-tmp-files=true']],
    [['--debug-keep-tmp-files', 'yes']],
  ])('leaves %j to commander', (args) => {
    expect(startFlags(args)).toBeUndefined();
  });

  it('has the flags of shell-operator as hidden ones', () => {
    expect(hiddenStartFlags).toEqual(expect.arrayContaining(['--log-type <format>', '--namespace <name>']));
  });
});
