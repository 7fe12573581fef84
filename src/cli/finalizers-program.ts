import type { Command } from 'commander';
import type { FinalizersIo, FinalizersQuery } from './finalizers.ts';
import { version } from './program/version.ts';

interface Flags extends Omit<FinalizersQuery, 'kind'> {
  readonly yes?: boolean;
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
}

/** Adds `hooklet finalizers`. */
export function addFinalizers(program: Command, exit: (code: number) => void): void {
  const finalizers = program
    .command('finalizers')
    .description('list or remove the finalizers of reconcile bindings, also where their hooks are gone');
  withOptions(
    finalizers.command('list').description('print the finalizers of hooklet on the objects of a kind'),
  ).action(async (kind: string, flags: Flags) => {
    const { listFinalizers } = await import('./finalizers.ts');
    exit(await withCluster(flags, async (io) => listFinalizers({ ...flags, kind }, io)));
  });
  withOptions(finalizers.command('release').description('show what would be removed, and with --yes remove it'))
    .option('--yes', 'remove the finalizers')
    .action(async (kind: string, flags: Flags) => {
      const { releaseFinalizers } = await import('./finalizers.ts');
      exit(await withCluster(flags, async (io) => releaseFinalizers({ ...flags, kind }, flags.yes === true, io)));
    });
}

function withOptions(command: Command): Command {
  return command
    .argument('<kind>', 'kind of the objects, such as websites.example.com')
    .option('--binding <name>', 'name of the reconcile binding (default: all)')
    .option('--object <name>', 'namespace/name of an object, or its name (default: all)')
    .option('--kube-config <file>', 'kubeconfig (default: as kubectl)')
    .option('--kube-context <name>', 'context of the kubeconfig (default: the current one)');
}

async function withCluster(flags: Flags, command: (io: FinalizersIo) => Promise<number>): Promise<number> {
  const { loadCluster } = await import('../kube/credentials/load-cluster.ts');
  const { createKubeClient } = await import('../kube/kube-client.ts');
  const { createKinds } = await import('../kube/discovery/kinds.ts');
  const { kubeConfig: kubeConfigPath, kubeContext: context } = flags;
  const cluster = await loadCluster({ kubeConfigPath, context, env: process.env });
  const client = createKubeClient(cluster, { userAgent: `hooklet/${version}` });
  try {
    const stdout = (output: string): void => void process.stdout.write(output);
    return await command({ client, kinds: createKinds(client), stdout, signal: new AbortController().signal });
  } finally {
    await client.close();
  }
}
