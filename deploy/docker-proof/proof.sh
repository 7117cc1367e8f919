#!/usr/bin/env bash
# Proves Dockerfile, docker-compose.yml, the demo on Docker and the tests on containers: see README.md.
# One line for each step, with its seconds; exit 1 with the end of the containers' logs where one fails.
# DOCKER_PROOF_DATA: a folder that keeps the images of a daemon that is started here, for the next time.
set -euo pipefail
# What ends a step in the middle may find the output of that step redirected.
exec 3>&2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
tree=$work/tidemark
expected=ccm_08448ae383b476b96641f1707eec2da6bface84fae3f242665e421c8de024a34
export API_URL=http://127.0.0.1:18080 TESTCONTAINERS_RYUK_DISABLED=true
daemon=

step() {
  current=$1
  local started=$SECONDS
  shift
  "$@"
  echo "$current: $((SECONDS - started)) s"
}
skip() { echo "skipped: $1"; exit 0; }
fail() { echo "$1" >&2; exit 1; }

compose() { (cd "$tree" && docker compose -p tidemark-proof -f docker-compose.yml -f "$here/edgar.yml" "$@"); }
tidemark() { compose exec -T api node scripts/tidemark.mjs "$@" </dev/null; }
state() { node "$here/calls.mjs" state; }

finish() {
  local code=$?
  if [ "$code" -ne 0 ]; then
    echo "failed: $current" >&3
    if [ -d "$tree" ]; then compose logs --no-color --tail 4 >&3 2>&3 || true; fi
  fi
  if [ -d "$tree" ]; then compose down --volumes --timeout 5 >/dev/null 2>&1 || true; fi
  docker compose -p "$(project_of_demo)" down --volumes --timeout 5 >/dev/null 2>&1 || true
  if [ -n "$daemon" ]; then kill "$daemon" && wait "$daemon" || true; fi
  # dockerd leaves the network of builds on the host mounted.
  umount "$work"/exec/netns/* 2>/dev/null || true
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

# A daemon that answers is used as it is, with images that it pulls. Else one is started, with images made here.
open_daemon() {
  if docker version >/dev/null 2>&1; then return; fi
  if [ "$(id -u)" -ne 0 ] || ! [ -f /etc/debian_version ]; then
    skip 'no Docker daemon answers, and only root on Debian starts one here'
  fi
  if ! command -v dockerd >/dev/null || ! command -v debootstrap >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      docker.io debootstrap >"$work/install.log" 2>&1 || skip 'docker.io and debootstrap could not be installed'
  fi
  export DOCKER_HOST=unix://$work/docker.sock
  setsid dockerd --host "$DOCKER_HOST" --data-root "${DOCKER_PROOF_DATA:-$work/data}" --exec-root "$work/exec" \
    --pidfile "$work/docker.pid" >"$work/dockerd.log" 2>&1 &
  daemon=$!
  until docker version >/dev/null 2>&1; do
    if ! kill -0 "$daemon" 2>/dev/null; then daemon= && skip "dockerd does not start here: $(tail -n 1 "$work/dockerd.log")"; fi
    sleep 0.5
  done
}

# Debian 12 has only the first compose; the package of Debian 13 is one program.
open_compose() {
  if docker compose version >/dev/null 2>&1; then return; fi
  local mirror apt="$work/apt"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | head -n 1)
  mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/archives/partial"
  echo "deb $mirror trixie main" >"$apt/parts/trixie.list"
  local get=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/parts"
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt")
  (cd "$apt" && "${get[@]}" update && "${get[@]}" download docker-compose && dpkg-deb -x docker-compose_*.deb .) \
    >"$work/install.log" 2>&1 || skip 'the compose plugin could not be installed'
  export DOCKER_CONFIG=$apt
  ln -s usr/libexec/docker/cli-plugins "$apt/cli-plugins"
}

images() { if [ -n "$daemon" ]; then "$here/images.sh" "$work"; fi; }
# As README says: .env from .env.example. No .env of this checkout takes part.
settings() {
  mkdir "$tree"
  (cd "$root" && cp -r .dockerignore .env.example Dockerfile docker-compose*.yml package*.json tsconfig.json CHANGELOG.md \
    scripts src queues jobs dashboards packages demo "$tree")
  cat "$tree/.env.example" - >"$tree/.env" <<END
MONGO_PASSWORD=$RANDOM$RANDOM$RANDOM$RANDOM
REDIS_PASSWORD=$RANDOM$RANDOM$RANDOM$RANDOM
EDGAR_USER_AGENT=Tidemark proof@example.com
EDGAR_URL=http://127.0.0.1:9000
TIDEMARK_AS_OF=2023-05-31
BACKFILL_FROM=1993-01-01
BRIEF_DEBOUNCE_MS=500
RATE_LIMIT_PER_SECOND=0
PORT=${API_URL##*:}
BOARD_PORT=0
END
}

# refused PATTERN COMMAND…: it fails with one line, which has the pattern.
refused() {
  local said
  if said=$("${@:2}" 2>&1); then fail "accepted: ${*:2}"; fi
  if [ "$(wc -l <<<"$said")" -ne 1 ] || ! grep -q "$1" <<<"$said"; then fail "not one line with \"$1\": $said"; fi
}
missing_secrets() {
  refused 'set MONGO_PASSWORD in .env' env MONGO_PASSWORD= bash -c "cd '$tree' && docker compose up"
  refused 'set REDIS_PASSWORD in .env' env REDIS_PASSWORD= bash -c "cd '$tree' && docker compose up"
}
weak_secrets() {
  local serve=(run --rm --no-deps -T -e TIDEMARK_ENV=production)
  refused 'production needs KEY_PEPPER' compose "${serve[@]}" api serve
  refused 'production needs BOARD_PASSWORD' compose "${serve[@]}" dashboards board
  refused 'KEY_PEPPER: ' compose "${serve[@]}" -e KEY_PEPPER=short api serve
}

up() {
  if compose up --detach --wait --quiet-pull 2>"$work/up.log"; then return; fi
  tail -n 5 "$work/up.log" >&2
  # What the checks of the unhealthy ones said.
  docker ps --all --filter health=unhealthy --format '{{.ID}}' | xargs -r docker inspect -f '{{.Name}} {{json .State.Health}}' >&2
  return 1
}

# kill -9 of all processes of a service; Docker starts it again.
kill_9() {
  local id before
  id=$(compose ps -q "$1")
  before=$(docker inspect -f '{{.RestartCount}}' "$id")
  compose exec -T "$1" sh -c 'kill -9 -1' </dev/null >/dev/null 2>&1 || true
  until [ "$(docker inspect -f '{{.RestartCount}} {{.State.Health.Status}}' "$id")" = "$((before + 1)) healthy" ]; do sleep 0.5; done
}

corpus() {
  TIDEMARK_KEY=$(tidemark keys create --org proof --credits 100000000 2>/dev/null)
  export TIDEMARK_KEY
  kill_9 worker-live
  until tidemark status --json | grep -q '"done":true'; do sleep 5; done
  before=$(state)
  if [ "${before%% *}" != "$expected" ]; then fail "the brief is ${before%% *}"; fi
}

again() {
  compose stop 2>/dev/null
  up
  if [ "$(state)" != "$before" ]; then fail "was $before, is $(state)"; fi
}

# Every call is charged once. What a killed Redis had answered and not written is a gift, up to what may be at risk.
kills_under_load() {
  local calls spent
  coproc load { node "$here/calls.mjs" load; }
  for service in api redis-credits worker-live redis-queue; do kill_9 "$service"; done
  eval "exec ${load[1]}>&-"
  read -r calls <&"${load[0]}"
  spent=$(($(cut -d' ' -f2 <<<"$before") - $(state | cut -d' ' -f2)))
  tidemark credits check >"$work/check" || fail "$(cat "$work/check")"
  if [ "$calls" -lt 100 ] || [ "$spent" -gt $((calls * 10)) ] || [ "$spent" -lt $((calls * 10 - 2000)) ]; then
    fail "$calls calls were answered, and $spent credits charged"
  fi
  echo "$calls calls of 10 credits were answered, $spent credits charged; the ledger agrees"
}

# The product's own use of Docker (packages/embedded/docker.ts).
project_of_demo() { echo "tidemark-$(printf %s "$work/home" | sha256sum | cut -c 1-8)"; }
demo() {
  compose down --volumes 2>/dev/null
  (cd "$root" && TIDEMARK_HOME=$work/home DOCKER=always npm run --silent demo -- --once >"$work/demo.out" 2>"$work/demo.err") ||
    fail "$(tail -n 5 "$work/demo.err")"
  if ! tail -n 1 "$work/demo.out" | grep -q "$expected"; then fail "$(tail -n 1 "$work/demo.out")"; fi
}

tests() {
  (cd "$root" && DOCKER=always npm test -- test/store test/credits test/flow) >"$work/tests.log" 2>&1 ||
    fail "$(tail -n 40 "$work/tests.log")"
  tail -n 1 "$work/tests.log"
}

step 'a Docker daemon' open_daemon
step 'the compose plugin' open_compose
step 'base images' images
settings
step 'a missing secret is one line' missing_secrets
step 'docker compose build' compose build --quiet api
step 'docker compose up --wait' up
step 'a weak secret is one line' weak_secrets
step 'the bundled filings, and the brief that README shows' corpus
step 'docker compose stop, up again: nothing is lost' again
step 'kill -9 of API, Redis and worker under load' kills_under_load
step 'npm run demo on Docker' demo
step 'tests of store, credits and flow on containers' tests
