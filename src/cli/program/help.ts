const END = `A first SIGINT or SIGTERM lets running hooks finish and applies their patches; a second one ends at once.`;

/** The end of `hooklet --help`, after the commands. */
export const PROGRAM_HELP = `
Examples:
  hooklet init my-hooks                       make a project: hooks, a scenario, Dockerfile, manifests
  hooklet dev hooks                           try hooks on this machine, without a cluster
  hooklet check hooks                         find all problems, as in the build of an image
  hooklet test                                run the stories of scenario files, in virtual time
  hooklet run hooks/a.sh --event Added --object pod.yaml
                                              run one hook as for a new Pod, and see what it would change
  hooklet filter .metadata.labels < pod.yaml  see the result of a jqFilter
  hooklet diff hooks                          see what hooks would change in the cluster now
  hooklet rbac hooks > rights.yaml            print the RBAC rules that hooks need
  hooklet schedule explain '30 2 * * *'       explain a crontab and print its next runs
  hooklet status                              see what the operator of this machine or pod runs
  hooklet start --hooks-dir /hooks            run hooks against the cluster of the kubeconfig or of the pod

Exit codes:
  0  done, or ended by a first SIGINT or SIGTERM
  1  problems found, a hook failed, or the cluster cannot be reached
  2  wrong usage: a flag, an argument, an environment variable, a missing folder, a port in use
  130, 143  ended at once by a second SIGINT or SIGTERM
  hooklet jq has the exit codes of jq.
`;

/** The end of `hooklet start --help`, after the options. */
export const START_HELP = `
A flag overrides the environment, and the environment the default; of several variables the first that is set counts.
The cluster is that of --kube-config, else of KUBECONFIG, else of ~/.kube/config, else that of the pod.
Other flags of shell-operator are accepted and have no effect; the log says which.
${END}
`;

/** The end of `hooklet dev --help`, after the options. */
export const DEV_HELP = `
The API server contains nothing but the manifests, and loses everything at the end, unless --data names a file for its
data. The path of its kubeconfig is in the log; --kubeconfig writes it to a file that you choose:

  hooklet dev hooks --kubeconfig dev.kubeconfig
  KUBECONFIG=dev.kubeconfig kubectl get pods -A     (in another terminal)

With --against the hooks see what a real cluster has of the kinds that they watch: it is read, and never written to.

On a terminal, r runs again what ran last, e sends an event, q quits, and ? shows the keys.

Saving a hook loads it again. Saving a manifest applies it again; objects that are in no manifest any more are deleted.
${END}
`;

/** The end of `hooklet check --help`, after the options. */
export const CHECK_HELP = `
Each problem is printed with file and line. A file that would never run is a problem: one without executable
permissions, a module without a default export; so is a folder without hooks. Files that end with .yaml, .json, .md or
.txt or begin with a dot, and folders called lib or node_modules, are skipped silently.

Examples:
  hooklet check hooks                         a folder
  hooklet check hooks/a.sh more/hooks         a file and a folder
  hooklet check -o github hooks               show each problem at its line in a pull request
  hooklet check --shards hooks                whether replicas can divide the objects, and how
`;

/** The end of `hooklet run --help`, after the options. */
export const RUN_HELP = `
Nothing is sent to a cluster. With --event, the context is the one that the operator would write: that of the binding
which watches the object, with the result of its filter and with its snapshots. If the operator would not run the hook
for the event, the command prints why.

Examples:
  hooklet run hooks/a.sh --event Added --object pod.yaml
  kubectl get pods -o yaml | hooklet run hooks/a.sh --event Synchronization --object -
  hooklet run hooks/a.sh --event Schedule --binding nightly
  hooklet run hooks/notes.ts --event Reconcile --object note.yaml
  echo '[{"binding": "onStartup"}]' | hooklet run hooks/a.sh --context -
`;

/** The end of `hooklet completion --help`, after the options. */
export const COMPLETION_HELP = `
  bash  source <(hooklet completion bash)         in ~/.bashrc
  zsh   source <(hooklet completion zsh)          in ~/.zshrc, after compinit
  fish  hooklet completion fish > ~/.config/fish/completions/hooklet.fish
`;
