/** One command of the story, and its expected result. */
export interface Step {
  readonly args: string;
  /** What the output must contain. */
  readonly shows: RegExp;
  /** Whether it must fail, everywhere or only where no controllers run. */
  readonly fails?: true | 'sandbox';
  readonly stdin?: string;
  readonly env?: { readonly [name: string]: string };
  /** Whether a real server, which has controllers and objects of its own, prints something else. */
  readonly differs?: true;
  /** Whether the old kubectl does not have this command. */
  readonly recent?: true;
  /** Whether a real server shows the result only after a while: the command is repeated until then. */
  readonly waits?: true;
}

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.story.example.com}
spec:
  group: story.example.com
  names: {plural: gadgets, kind: Gadget, shortNames: [gd]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color, description: The color.}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: First Part, type: string, jsonPath: '.spec.parts[0].name', priority: 1}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    schema:
      openAPIV3Schema:
        type: object
        description: A gadget is a thing.
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [color]
            properties:
              color: {type: string, description: Its color., enum: [red, blue]}
              replicas: {type: integer, description: How many., minimum: 0}
              parts:
                type: array
                description: Its parts.
                items: {type: object, properties: {name: {type: string, description: The name of the part.}}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}
`;

const GADGET = `
apiVersion: story.example.com/v1
kind: Gadget
metadata: {name: first}
spec: {color: red, replicas: 1, parts: [{name: wheel}]}
`;

const map = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {key: ${value}}\n`;

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx, env: [{name: A, value: '1'}]}]}
`;

const SERVICE = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, name: http, targetPort: 8080}]}
`;

const JSON_PATCH = '[{"op":"replace","path":"/data/key","value":"json"}]';

/** What a user of kubectl does in a cluster, from the first look to the last delete, in a namespace of its own. */
export const STORY: readonly Step[] = [
  { args: 'version', shows: /Server Version:.*v?1\.35/, differs: true },
  { args: 'cluster-info', shows: /is running at/, differs: true },
  { args: 'api-versions', shows: /^apps\/v1$/m, differs: true },
  { args: 'api-resources --api-group=apps', shows: /deployments +deploy +apps\/v1 +true +Deployment/ },
  { args: 'create namespace story', shows: /^namespace\/story created$/m },
  { args: 'get namespace story', shows: /^story +Active +\S+$/m },
  { args: 'auth can-i create pods -n story', shows: /^yes$/m },
  { args: 'create configmap literal --from-literal=a=b', shows: /^configmap\/literal created$/m },
  { args: 'create secret generic hidden --from-literal=a=b', shows: /^secret\/hidden created$/m },
  { args: 'create serviceaccount robot', shows: /^serviceaccount\/robot created$/m },
  { args: 'create role reader --verb=get,list --resource=pods', shows: /role\/reader created|reader created/ },
  { args: 'create rolebinding read --role=reader --serviceaccount=story:robot --user=u', shows: /read created/ },
  { args: 'create quota few --hard=pods=5', shows: /^resourcequota\/few created$/m },
  { args: 'create job once --image=nginx', shows: /^job.batch\/once created$/m },
  { args: 'create deployment made --image=nginx --replicas=0', shows: /^deployment.apps\/made created$/m },
  { args: 'create service clusterip made --tcp=80:8080', shows: /^service\/made created$/m },
  { args: 'run single --image=nginx', shows: /^pod\/single created$/m },
  { args: 'create configmap literal --from-literal=a=b', shows: /already exists/, fails: true },
  { args: 'create -f -', stdin: map('written', 'one'), shows: /^configmap\/written created$/m },
  { args: 'apply -f -', stdin: map('applied', 'one'), shows: /^configmap\/applied created$/m },
  { args: 'apply -f -', stdin: map('applied', 'two'), shows: /^configmap\/applied configured$/m },
  { args: 'apply -f -', stdin: map('applied', 'two'), shows: /^configmap\/applied unchanged$/m },
  { args: 'diff -f -', stdin: map('applied', 'three'), shows: /^-  key: two\n\+  key: three$/m, fails: true },
  { args: 'apply --dry-run=server -f -', stdin: map('applied', 'three'), shows: /configured \(server dry run\)$/m },
  { args: 'apply --server-side -f -', stdin: map('sided', 'one'), shows: /^configmap\/sided serverside-applied$/m },
  {
    args: 'apply --server-side --field-manager=other -f -',
    stdin: map('sided', 'two'),
    shows: /conflict with "kubectl".*\.data\.key/s,
    fails: true,
  },
  {
    args: 'apply --server-side --field-manager=other --force-conflicts -f -',
    stdin: map('sided', 'two'),
    shows: /serverside-applied$/m,
  },
  { args: 'apply -f -', stdin: DEPLOYMENT, shows: /^deployment.apps\/web created$/m },
  { args: 'apply -f -', stdin: SERVICE, shows: /^service\/web created$/m },
  { args: 'apply -f -', stdin: DEPLOYMENT.replace("'1'", "'2'"), shows: /^deployment.apps\/web configured$/m },
  { args: 'apply -f -', stdin: DEFINITION, shows: /gadgets.story.example.com created$/m },
  { args: 'wait --for=condition=Established crd/gadgets.story.example.com', shows: /condition met$/m },
  { args: 'api-resources --api-group=story.example.com', shows: /^gadgets +gd /m, waits: true },
  { args: 'apply -f -', stdin: GADGET, shows: /^gadget.story.example.com\/first created$/m },
  { args: 'apply -f -', stdin: GADGET.replace('red', 'green'), shows: /green/, fails: true },
  {
    args: 'apply -f -',
    stdin: GADGET.replace('color', 'colour'),
    shows: /unknown field|required|invalid/i,
    fails: true,
    differs: true,
  },
  { args: 'get gadgets', shows: /^NAME +COLOR +REPLICAS +READY *\nfirst +red +1 *$/m },
  { args: 'get gadgets -o wide', shows: /^NAME +COLOR +REPLICAS +FIRST PART +READY *\nfirst +red +1 +wheel *$/m },
  { args: 'get gd first -o yaml', shows: /^ {2}color: red$/m },
  { args: 'get gd first -o json', shows: /"color": "red"/ },
  { args: 'get gd -o name', shows: /^gadget.story.example.com\/first$/m },
  { args: 'get gd first -o jsonpath={.spec.parts[*].name}', shows: /^wheel$/m },
  { args: 'get gd -o custom-columns=N:.metadata.name,C:.spec.color', shows: /^N +C\nfirst +red$/m },
  { args: 'get gd first -o go-template={{.spec.color}}', shows: /^red$/m },
  { args: 'get gd --show-labels', shows: /LABELS\nfirst .*<none>$/m },
  { args: 'get configmaps --sort-by=.metadata.name -l !x --no-headers', shows: /^applied +1/m, differs: true },
  { args: 'get gd none', shows: /gadgets.story.example.com "none" not found/, fails: true },
  { args: 'get deployments,services web -o wide', shows: /web +0\/0 +0 +0 +\S+ +main +nginx +app=web/, differs: true },
  { args: 'get gd -w --request-timeout=5s', shows: /^first +red +1 *$/m, differs: true },
  { args: 'get events', shows: /No resources|LAST SEEN/, differs: true },
  { args: 'get all', shows: /^deployment.apps\/web +0\/0/m, differs: true },
  { args: 'get nodes,pv,pvc,ingress,hpa,lease,sts,ds,cj', shows: /No resources found/, differs: true },
  { args: 'describe configmap applied', shows: /^key:\n----\ntwo/m },
  { args: 'describe gd first', shows: /Color: +red/ },
  { args: 'describe deployment web', shows: /Replicas: +0 desired/, differs: true },
  {
    args: 'explain gadgets --recursive --api-version=story.example.com/v1',
    shows: /parts\s+<\[\]Object>/,
    waits: true,
  },
  { args: 'explain gadgets.spec.parts', shows: /The name of the part\./ },
  { args: 'explain pods.spec.containers', shows: /image\s+<string>/, differs: true },
  { args: 'patch configmap written -p {"data":{"key":"strategic"}}', shows: /configmap\/written patched$/m },
  { args: 'patch configmap written --type=merge -p {"data":{"key":"merge"}}', shows: /configmap\/written patched$/m },
  { args: `patch configmap written --type=json -p ${JSON_PATCH}`, shows: /configmap\/written patched$/m },
  { args: 'patch gd first -p {"spec":{}}', shows: /not supported|UnsupportedMediaType|unknown format/, fails: true },
  { args: 'get configmap written -o jsonpath={.data.key}', shows: /^json$/m },
  { args: 'label configmap written tier=front', shows: /configmap\/written labeled$/m },
  { args: 'get configmaps -l tier=front -o name', shows: /^configmap\/written$/m },
  { args: 'label configmap written tier-', shows: /configmap\/written (un)?labeled$/m },
  { args: 'annotate configmap written note=x', shows: /configmap\/written annotated$/m },
  { args: 'scale gd first --replicas=3', shows: /first scaled$/m },
  { args: 'scale deployment web --replicas=0', shows: /web scaled$/m },
  { args: 'get gd first -o jsonpath={.spec.replicas}', shows: /^3$/m },
  { args: 'set image deployment/web main=nginx:2', shows: /image updated$/m },
  { args: 'set env deployment/web B=3', shows: /env updated$/m },
  { args: 'rollout restart deployment/web', shows: /web restarted$/m },
  { args: 'rollout history deployment/web', shows: /REVISION|No rollout history/, differs: true },
  {
    args: 'rollout status deployment/web --timeout=10s',
    shows: /rolled out|timed out/,
    fails: 'sandbox',
    differs: true,
  },
  { args: 'expose deployment web --name=shown --port=80', shows: /^service\/shown exposed$/m },
  { args: 'autoscale deployment web --max=3', shows: /web autoscaled$/m },
  { args: 'edit configmap written', env: { KUBE_EDITOR: 'sed -i s/json/edited/' }, shows: /written edited$/m },
  { args: 'get configmap written -o jsonpath={.data.key}', shows: /^edited$/m },
  { args: 'replace -f -', stdin: map('written', 'replaced'), shows: /configmap\/written replaced$/m },
  { args: 'wait --for=jsonpath={.data.key}=replaced configmap/written', shows: /condition met$/m, recent: true },
  { args: 'create token robot', shows: /^\S+$/m, differs: true, recent: true },
  { args: 'top pods', shows: /Metrics API not available/, fails: true },
  { args: 'get gizmos', shows: /doesn't have a resource type "gizmos"/, fails: true },
  { args: 'delete configmap written', shows: /configmap "written" deleted/ },
  { args: 'delete -f - --wait', stdin: GADGET, shows: /"first" deleted/ },
  { args: 'delete configmaps --all', shows: /configmap "applied" deleted/, differs: true },
  { args: 'delete crd gadgets.story.example.com', shows: /"gadgets.story.example.com" deleted/ },
  { args: 'delete namespace story', shows: /namespace "story" deleted/ },
];
