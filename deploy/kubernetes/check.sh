#!/usr/bin/env bash
# Builds an overlay and holds it to the schemas of Kubernetes and KEDA: check.sh [FOLDER].
# Needs Go and Python with pip; the programs are installed into a temporary folder.
set -euo pipefail
cd "$(dirname "$0")"
overlay=${1:-example}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOBIN=$work/bin GOFLAGS=-modcacherw

kustomize() {
  if command -v kubectl >/dev/null; then kubectl kustomize "$1"; return; fi
  go install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
  "$work/bin/kustomize" build "$1"
}

kustomize "$overlay" >"$work/built.yaml"
go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
keda=$(go mod download -json github.com/kedacore/keda/v2@v2.21.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target "$work/python" -r requirements.txt
PYTHONPATH=$work/python python3 schemas.py "$work/schemas" "$keda/config/crd/bases/keda.sh_scaledobjects.yaml"
"$work/bin/kubeconform" -strict -summary \
  -schema-location "$work/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$work/built.yaml"
