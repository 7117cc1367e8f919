# One image for the API, the worker, the scheduler and the dashboards; the command tells which.
FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing that runs needs an install script.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production \
    TIDEMARK_HOME=/home/node/tidemark \
    DOCKER=never \
    HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json tsconfig.json CHANGELOG.md ./
COPY scripts ./scripts
COPY src ./src
COPY queues ./queues
COPY jobs ./jobs
COPY dashboards ./dashboards
COPY packages ./packages
# Compiles what the processes load: they cannot write it.
RUN node scripts/tidemark.mjs --version && ls node_modules/.cache/tidemark/compiled/*/src/cli.mjs
# The sources stay root's: the processes may read them and write nothing but their home.
RUN mkdir -p "$TIDEMARK_HOME" && chown node:node "$TIDEMARK_HOME"
USER node
# Signals go to the process itself; docker-compose.yml sets `init: true` for what it leaves behind.
ENTRYPOINT ["node", "scripts/tidemark.mjs"]
CMD ["--help"]
