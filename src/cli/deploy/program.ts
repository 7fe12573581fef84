import type { Command } from 'commander';
import type { ManifestsFlags } from './command.ts';

/** Adds `hooklet manifests`. */
export function addManifests(program: Command, exit: (code: number) => void): void {
  program
    .command('manifests')
    .argument('[hooks-dir]', 'folder of hooks (default: that of start)')
    .description('print the manifests that run these hooks in a cluster, with the rights that their bindings need')
    .option('--image <image>', 'image with the hooks (required)')
    .option('--name <name>', 'name of the objects (default hooklet)')
    .option('--namespace <name>', 'namespace of the objects (default hooklet)')
    .option('--create-namespace', 'the namespace too, under the Pod security standard restricted')
    .option('--replicas <n>', 'number of Pods (default 1, with webhooks 2, with --shards 3)')
    .option('--shards', 'let the Pods divide the objects among them: each works on a part of them')
    .option('--host <name>', 'host of an Ingress for http bindings (default: no Ingress)')
    .option('--no-events', 'without the right to write Events about the Pod')
    .option('--crds <paths...>', 'files or folders with CustomResourceDefinitions, for the names of their resources')
    .option(
      '--scenarios <paths...>',
      'scenario files or folders, which are run for the rights to what hooks do in them',
    )
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: ManifestsFlags) => {
      const { manifestsCommand } = await import('./command.ts');
      exit(await manifestsCommand(given, flags));
    });
}

const HELP = `
What the hooks have decides what is printed: Services and rights for webhooks, requests, Jobs and workers, a Deployment
for each pool of workers, a ConfigMap for schedules that make up for missed ticks, a Lease for several replicas. With
--shards, hooks whose objects cannot be divided are refused: hooklet check --shards says how each is. The same hooks give
the same text, so that it can be kept beside them, compared in CI, and used as a resource of a kustomization.

Examples:
  hooklet manifests hooks --image registry.example.com/my-hooks:1 | kubectl apply -f -
  hooklet manifests hooks --image registry.example.com/my-hooks:1 --namespace team-a > deploy.yaml
`;
