{{/* What a service is: facts of services.yaml, `defaults`, and its own values over them. */}}
{{- define "causeway.service" -}}
{{- $facts := index (.root.Files.Get "services.yaml" | fromYaml) .name -}}
{{- $own := index .root.Values.services .name | default dict -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) (dict "name" .name) $facts | toYaml -}}
{{- end -}}

{{- define "causeway.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* What pods are found by; one hub in a namespace, so that addresses are those of the compose file. */}}
{{- define "causeway.selector" -}}
app.kubernetes.io/part-of: causeway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/name: {{ .name }}
{{- end -}}

{{- define "causeway.labels" -}}
{{ include "causeway.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Settings as variables: `files` of env/ first, then the maps of `settings`, later ones over earlier. */}}
{{- define "causeway.environment" -}}
{{- $root := .root -}}
{{- $all := dict -}}
{{- range $file := .files -}}
{{- range $line := $root.Files.Lines (printf "env/%s.env" $file) -}}
{{- if and $line (not (hasPrefix "#" $line)) -}}
{{- $pair := splitn "=" 2 $line -}}
{{- $_ := set $all $pair._0 $pair._1 -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $settings := .settings -}}
{{- range $name, $value := $settings -}}
{{- $_ := set $all $name (ternary (printf "%.0f" $value) (toString $value) (kindIs "float64" $value)) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $all }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}

{{/* Settings whose values are in files, by the names of the files: not in the environment. */}}
{{- define "causeway.secretFiles" -}}
{{- range . }}
- name: {{ .name }}_FILE
  value: /etc/causeway/settings/{{ .name }}
{{- end }}
{{- end -}}

{{/* The files of settings, each from its own Secret. */}}
{{- define "causeway.secretVolume" -}}
{{- if .secrets }}
- name: {{ .name }}
  projected:
    defaultMode: 0440
    sources:
      {{- range .secrets }}
      - secret: { name: {{ .secret }}, items: [{ key: {{ .key }}, path: {{ .name }} }] }
      {{- end }}
{{- end }}
{{- end -}}

{{- define "causeway.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "causeway.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{- define "causeway.container" -}}
image: {{ include "causeway.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{ include "causeway.containerSecurity" . }}
{{- end -}}

{{- define "causeway.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Folders below /etc/causeway, each a Secret. */}}
{{- define "causeway.mounts" -}}
{{- range .folders }}
- name: {{ . }}
  mountPath: /etc/causeway/{{ . }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "causeway.volumes" -}}
{{- $ := . -}}
{{- range .folders }}
- name: {{ . }}
  secret:
    secretName: {{ printf "%s-%s-%s" $.root.Values.secrets.prefix $.name . }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{- define "causeway.policyPorts" -}}
{{- range . }}
- { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end -}}

{{- define "causeway.dns" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
  {{- with .Values.networkPolicy.dns.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "causeway.pod" -}}
podSelector:
  matchLabels:
    app.kubernetes.io/part-of: causeway
    app.kubernetes.io/instance: {{ .root.Release.Name }}
    app.kubernetes.io/name: {{ .name }}
{{- end -}}

{{/* Of Gateway API 1.5 and later it is v1; a cluster that knows an earlier one alone gets that. */}}
{{- define "causeway.tlsRouteVersion" -}}
{{- $version := "v1" -}}
{{- if not (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1/TLSRoute") -}}
{{- range list "v1alpha2" "v1alpha3" -}}
{{- if $.Capabilities.APIVersions.Has (printf "gateway.networking.k8s.io/%s/TLSRoute" .) }}{{ $version = . }}{{ end -}}
{{- end -}}
{{- end -}}
gateway.networking.k8s.io/{{ $version }}
{{- end -}}
