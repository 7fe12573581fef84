import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { shutdownSignal } from '../../src/cli/shutdown.ts';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

let handlers: Map<string, () => void>;
let exit: Mock<(code: unknown) => void>;

beforeEach(() => {
  handlers = new Map();
  exit = vi.fn();
  vi.spyOn(process, 'on').mockImplementation((name, handler) => {
    handlers.set(String(name), () => handler());
    return process;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exit(code);
    throw new Error('exited');
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const receive = (name: EndSignal) => handlers.get(name)?.();

describe('the shutdown signal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('aborts at the first %s, and says which it was', (name) => {
    const told: string[] = [];
    const signal = shutdownSignal((received) => void told.push(received));

    receive(name);

    expect([signal.aborted, told]).toEqual([true, [name]]);
    expect(exit).not.toHaveBeenCalled();
  });

  it('ends the process at once at the second signal, with the code of that one', () => {
    shutdownSignal(() => {});
    receive('SIGINT');

    expect(() => receive('SIGTERM')).toThrow('exited');

    expect(exit).toHaveBeenCalledWith(143);
  });

  it('leaves SIGHUP alone unless it is asked for', () => {
    shutdownSignal(() => {});
    expect(handlers.has('SIGHUP')).toBe(false);

    const signal = shutdownSignal(() => {}, ['SIGHUP']);
    receive('SIGHUP');

    expect(signal.aborted).toBe(true);
  });
});
