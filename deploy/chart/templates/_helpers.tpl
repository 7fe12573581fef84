{{- define "hooklet.name" -}}
{{- $name := default .Release.Name .Values.fullnameOverride | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- fail (printf "objects cannot be called %s, for names of Services begin with a letter: set fullnameOverride" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "hooklet.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hooklet.labels" -}}
{{ include "hooklet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "hooklet.account" -}}
{{- default (include "hooklet.name" .) .Values.existingServiceAccount -}}
{{- end -}}

{{- define "hooklet.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Whether one of several Pods runs hooks: with webhooks also a single one, which another follows in an update. */ -}}
{{- define "hooklet.elects" -}}
{{- if and (or (gt (int .Values.replicas) 1) .Values.webhooks.enabled) (not .Values.shards.enabled) -}}true{{- end -}}
{{- end -}}

{{- /* Whether Leases keep two Pods from doing the same: then both may be there in an update. */ -}}
{{- define "hooklet.hasLeases" -}}
{{- if or (include "hooklet.elects" .) .Values.shards.enabled -}}true{{- end -}}
{{- end -}}

{{- define "hooklet.subject" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "hooklet.account" . }}
    namespace: {{ .Release.Namespace }}
{{- end -}}

{{- /* What is done in a namespace with Jobs. */ -}}
{{- define "hooklet.jobRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
# Why a Job has no Pod, such as a quota.
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{- end -}}

{{- /* Whether Pods get their runs at the port of hooklet: those of Jobs, and workers. */ -}}
{{- define "hooklet.hasRunPort" -}}
{{- if or .Values.jobs.enabled .Values.workers.enabled -}}true{{- end -}}
{{- end -}}

{{- /* The labels of workers, by which no Service of hooklet finds them. */ -}}
{{- define "hooklet.workerSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-workers
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Files of hooks in the values, and volumes of yours: hooklet and workers have the same. */ -}}
{{- define "hooklet.mounts" -}}
{{- if or .Values.hooks.files .Values.hooks.existingConfigMap }}
- name: hooks
  mountPath: /hooks
  readOnly: true
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "hooklet.volumes" -}}
{{- if or .Values.hooks.files .Values.hooks.existingConfigMap }}
- name: hooks
  configMap:
    name: {{ default (printf "%s-hooks" (include "hooklet.name" .)) .Values.hooks.existingConfigMap }}
    # 0555, so executable: what is not is no hook.
    defaultMode: 365
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
