import { describe, expect, it } from 'vitest';
import { hiddenStartFlags, startFlags, withoutSwitchValues } from '../../src/cli/options/start-flags.ts';

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
    [['--log-proxy-hook-json=true', '--log-no-time=false'], { logProxyHookJson: 'true', logNoTime: 'false' }],
    [['--debug-keep-tmp-files=', '--leader-elect=x=y'], { debugKeepTmpFiles: '', leaderElect: 'x=y' }],
    [['--leader-elect=false', '--leader-elect'], { leaderElect: true }],
    [['--kube-client-qps', '-1'], { kubeClientQps: '-1' }],
    [['--validating-webhook-client-ca', 'a', '--validating-webhook-client-ca=b'], { validatingWebhookClientCa: 'a,b' }],
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
    [['--debug-keep-tmp-files', '--nope=true']],
    [['--debug-keep-tmp-files', 'yes']],
  ])('leaves %j to commander', (args) => {
    expect(startFlags(args)).toBeUndefined();
  });

  it('has the flags of shell-operator as hidden ones', () => {
    expect(hiddenStartFlags).toEqual(expect.arrayContaining(['--log-type <format>', '--kube-server <url>']));
  });

  it('leaves words that are no flags aside when called as shell-operator', () => {
    const args = ['--log-no-time', 'true', '--hooks-dir', 'a', 'more'];

    expect(startFlags(args, 'shell-operator')).toEqual({ logNoTime: true, hooksDir: 'a', operands: 'true,more' });
    expect(startFlags(args, 'hooklet')).toBeUndefined();
  });

  it('gives commander no values of switches', () => {
    const args = ['--log-no-time=true', '--hooks-dir=a=b', '--nope=c', 'x'];
    expect(withoutSwitchValues(args)).toEqual(['--log-no-time', '--hooks-dir=a=b', '--nope=c', 'x']);
  });
});
