import type { Command } from 'commander';
import type { LockFlags, LockIo } from './lock-io.ts';

/** Adds `hooklet lock`. */
export function addLock(program: Command, exit: (code: number) => void): void {
  const lock = program
    .command('lock')
    .argument('<name>', 'name of the Lease')
    .argument('[command...]', 'what is run while the lock is held, after --')
    .description('run a command while it holds a lock; or list, show and release locks')
    .option('--wait <duration>', 'how long to wait for the lock (default 1m)')
    .option('--for <duration>', 'others take the lock when its holder was silent for this long (default 30s)');
  withPlace(lock)
    .addHelpText('after', HELP)
    .action(async (name: string, command: readonly string[], flags: LockFlags) => {
      const { holdLock } = await import('./hold-lock.ts');
      exit(await withCluster(flags, async (io) => holdLock({ name, command, flags }, io)));
    });
  // Each command below also takes the flags that were given to `lock` itself.
  const flagsOf = (command: Command): LockFlags => command.optsWithGlobals();
  withPlace(lock.command('list'))
    .description('print the locks of a namespace')
    .option('-A, --all-namespaces', 'of all namespaces')
    .action(async (_flags: LockFlags, command: Command) => {
      const { listLocks } = await import('./show-locks.ts');
      exit(await withCluster(flagsOf(command), async (io) => listLocks(flagsOf(command), io)));
    });
  withPlace(lock.command('show').argument('<name>', 'name of the Lease'))
    .description('print who holds a lock, and since when')
    .action(async (name: string, _flags: LockFlags, command: Command) => {
      const { showLock } = await import('./show-locks.ts');
      exit(await withCluster(flagsOf(command), async (io) => showLock(name, io)));
    });
  withPlace(lock.command('release').argument('<name>', 'name of the Lease'))
    .description('show who holds a lock, and with --yes release it where its holder is gone')
    .option('--yes', 'release it')
    .option('--force', 'also where its holder lives, which ends what it does')
    .action(async (name: string, _flags: LockFlags, command: Command) => {
      const { releaseLock } = await import('./release-lock.ts');
      exit(await withCluster(flagsOf(command), async (io) => releaseLock(name, flagsOf(command), io)));
    });
}

function withPlace(command: Command): Command {
  return command
    .option('--namespace <name>', 'namespace of the Lease (default: that of the Pod, or of the kubeconfig)')
    .option('--kube-config <file>', 'kubeconfig (default: as kubectl)')
    .option('--kube-context <name>', 'context of the kubeconfig (default: the current one)');
}

async function withCluster(flags: LockFlags, command: (io: LockIo) => Promise<number>): Promise<number> {
  const { openLockIo } = await import('./lock-io.ts');
  await using io = await openLockIo(flags, process.env);
  return await command(io);
}

const HELP = `
The command is started when the lock is held, gets signals passed on, and is ended when the lock is lost. A hook with
settings.lock of the same name waits for it, and the command for the hook.

Exit codes: that of the command; 75 when the lock was not free in time; 1 when the lock was lost, or cannot be taken.

Examples:
  hooklet lock nightly-backup -- ./restore.sh
  hooklet lock nightly-backup --namespace db --wait 10m -- pg_dump -Fc -f /backups/app.dump app
  hooklet lock list
  hooklet lock release nightly-backup --yes
`;
