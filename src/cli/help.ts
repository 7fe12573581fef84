const END = `A first SIGINT or SIGTERM lets running hooks finish, applies what they asked, and ends; a second one ends at once.`;

/** What `hooklet --help` says after the commands. */
export const PROGRAM_HELP = `
Examples:
  hooklet dev hooks                           try hooks on this machine, without a cluster
  hooklet check hooks                         find all problems, as in the build of an image
  hooklet run hooks/a.sh --event Added --object pod.yaml
                                              run one hook as for a new Pod, and see what it would do
  hooklet filter .metadata.labels < pod.yaml  see what a jqFilter makes of an object
  hooklet schedule explain '30 2 * * *'       say what a crontab means and when it runs
  hooklet start --hooks-dir /hooks            run hooks against the cluster of the kubeconfig or of the pod

Exit codes:
  0  done, or ended by a first SIGINT or SIGTERM
  1  problems found, a hook that failed, or no way to the cluster
  2  wrong usage: a flag, an argument, an environment variable, a folder that is not there, a port in use
  130, 143  ended at once by a second SIGINT or SIGTERM
  hooklet jq has the exit codes of jq.
`;

/** What `hooklet start --help` says after the options. */
export const START_HELP = `
A flag wins over the environment, and the environment over the default; of several variables the first that is set.
The cluster is that of --kube-config, else of KUBECONFIG, else of ~/.kube/config, else that of the pod.
Other flags of shell-operator are accepted and have no effect; the log says which.
${END}
`;

/** What `hooklet dev --help` says after the options. */
export const DEV_HELP = `
The API server is empty but for the manifests, and forgets everything at the end, unless --data names a file to keep
it in. Its kubeconfig is in the log; --kubeconfig names a file of your own for it:

  hooklet dev hooks --kubeconfig dev.kubeconfig
  KUBECONFIG=dev.kubeconfig kubectl get pods -A     (in another terminal)

Saving a hook loads it again; saving a manifest applies it again, and what is no longer in any manifest is deleted.
${END}
`;

/** What `hooklet check --help` says after the options. */
export const CHECK_HELP = `
Each problem is told with file and line. What would never run is a problem: a file without executable permissions, a
module without a default export, a folder without hooks. Left out without a word are .yaml, .json, .md and .txt, what
begins with a dot, and folders called lib or node_modules.

Examples:
  hooklet check hooks                         a folder
  hooklet check hooks/a.sh more/hooks         a file and a folder
  hooklet check -o github hooks               show each problem at its line in a pull request
`;

/** What `hooklet run --help` says after the options. */
export const RUN_HELP = `
Nothing is sent to a cluster. With --event, the context is the one that the operator would make: it goes to the binding
that watches the object, with the result of its filter and with the snapshots it asks for. Where the operator would not
run the hook, the command says why.

Examples:
  hooklet run hooks/a.sh --event Added --object pod.yaml
  kubectl get pods -o yaml | hooklet run hooks/a.sh --event Synchronization --object -
  hooklet run hooks/a.sh --event Schedule --binding nightly
  echo '[{"binding": "onStartup"}]' | hooklet run hooks/a.sh --context -
`;

/** What `hooklet completion --help` says after the options. */
export const COMPLETION_HELP = `
  bash  source <(hooklet completion bash)         in ~/.bashrc
  zsh   source <(hooklet completion zsh)          in ~/.zshrc, after compinit
  fish  hooklet completion fish > ~/.config/fish/completions/hooklet.fish
`;
