import type { Command } from 'commander';
import { version } from '../program/version.ts';
import type { WebhooksIo } from './webhooks.ts';

interface Flags {
  readonly yes?: boolean;
  readonly converters?: boolean;
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
}

/** Adds `hooklet webhooks`. */
export function addWebhooks(program: Command, exit: (code: number) => void): void {
  const webhooks = program
    .command('webhooks')
    .description('list or remove the webhooks and converters that hooklet has registered, also where no hooklet runs');
  withOptions(
    webhooks
      .command('list')
      .description('print the registered webhooks and converters, and whether anybody answers them; else exit code 1'),
  ).action(async (flags: Flags) => {
    const { listWebhooks } = await import('./webhooks.ts');
    exit(await withCluster(flags, listWebhooks));
  });
  withOptions(
    webhooks
      .command('remove')
      .argument('[name]', 'name of the webhook configurations or of a definition (default: all of hooklet)')
      .description('show the webhook configurations and converters that would be removed, and with --yes remove them'),
  )
    .option('--yes', 'remove them')
    .option('--converters', 'also converters without which objects of several versions lose fields')
    .action(async (name: string | undefined, flags: Flags) => {
      const { removeWebhooks } = await import('./webhooks.ts');
      const removal = { name, isSure: flags.yes === true, withConverters: flags.converters === true };
      exit(await withCluster(flags, async (io) => removeWebhooks(removal, io)));
    });
}

function withOptions(command: Command): Command {
  return command
    .option('--kube-config <file>', 'kubeconfig (default: as kubectl)')
    .option('--kube-context <name>', 'context of the kubeconfig (default: the current one)');
}

async function withCluster(flags: Flags, command: (io: WebhooksIo) => Promise<number>): Promise<number> {
  const { loadCluster } = await import('../../kube/credentials/load-cluster.ts');
  const { createKubeClient } = await import('../../kube/kube-client.ts');
  const { kubeConfig: kubeConfigPath, kubeContext: context } = flags;
  const cluster = await loadCluster({ kubeConfigPath, context, env: process.env });
  const client = createKubeClient(cluster, { userAgent: `hooklet/${version}` });
  try {
    const stdout = (output: string): void => void process.stdout.write(output);
    return await command({ client, stdout, signal: new AbortController().signal });
  } finally {
    await client.close();
  }
}
