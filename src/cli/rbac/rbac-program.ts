import type { Command } from 'commander';
import { asking } from '../control/asking.ts';
import type { OptionSpec } from '../options/spec.ts';
import { FEATURE_OPTIONS } from './feature-options.ts';
import type { RbacFlags } from './rbac.ts';

/** Its longest flags leave too little room in 80 columns, and what is not wrapped there is longer than a terminal. */
const MAX_WIDTH = 100;

/** Adds `hooklet rbac`. */
export function addRbac(program: Command, exit: (code: number) => void): void {
  const command = program
    .command('rbac')
    .argument('[paths...]', 'folders of hooks, or files (default: the folder of start)')
    .description(
      'print the RBAC rules that hooks and hooklet need, each with its reason; or compare them with manifests',
    )
    .option(
      '--audit <file>',
      'also what the accounts asked for, by an audit log of the API server; - for standard input',
    )
    .option('--scenarios <paths...>', 'also what the hooks do in these scenario files or folders, which are run')
    .option('--observed', 'also what the hooks of a running operator asked for')
    .option('--only-seen', 'only what --audit and --observed have seen')
    .option('--per-hook', 'rules and a ServiceAccount for each hook')
    .option('--webhooks', 'also the rights to register webhooks and converters, nearly those of an administrator')
    .option('--service-account <name>', 'NAMESPACE/NAME of the account of hooklet (default hooklet/hooklet)')
    .option('--crds <paths...>', 'files or folders with CustomResourceDefinitions, for the names of their resources')
    .option('--diff <files...>', 'compare with these manifests instead; exit code 1 when something differs')
    .option('--check', 'ask a cluster whether the account has these rights; exit code 1 when one is missing')
    .option('--kube-config <file>', 'kubeconfig of the cluster to ask (default: as kubectl)')
    .option('--kube-context <name>', 'context of the kubeconfig (default: the current one)')
    .option('-o, --output <format>', 'one of yaml, json (default yaml); with --check text, json (default text)')
    .configureHelp({ helpWidth: Math.min(MAX_WIDTH, process.stdout.columns ?? MAX_WIDTH) });
  for (const { flag, description } of Object.values<OptionSpec<unknown>>(FEATURE_OPTIONS)) {
    command.option(flag, `as of start: ${description}`);
  }
  asking(command, 'rbac --observed').action(async (paths: readonly string[], flags: RbacFlags) => {
    const { rbacCommand } = await import('./rbac.ts');
    exit(await rbacCommand(paths, flags));
  });
}
