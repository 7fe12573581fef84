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
{{- if or (gt (int .Values.replicas) 1) .Values.webhooks.enabled -}}true{{- end -}}
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
