# One image for the API, the worker, the codec server and the commands; docker-compose.yml says which one runs.
# docs/operate.md says how the digest is renewed.
ARG NODE_IMAGE=node:24-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
# .npmrc comes first: no package runs an install script.
COPY .npmrc package.json package-lock.json ./
COPY api/package.json api/
COPY worker/package.json worker/
COPY workflows/package.json workflows/
COPY temporal/package.json temporal/
COPY activities/package.json activities/
COPY gateways/package.json gateways/
COPY prisma/package.json prisma/
COPY shared/package.json shared/
COPY accounts/package.json accounts/
COPY sandbox/package.json sandbox/
COPY commands/package.json commands/
COPY dashboard/package.json dashboard/
COPY local/package.json local/
COPY test/package.json test/

# Everything, to write the Prisma client and to build what runs.
FROM manifests AS build
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
RUN npm run build -w @clinic/dashboard
RUN node --import tsx worker/bundle-main.ts workflows.js

# Only what runs.
FROM manifests AS packages
RUN npm ci --omit=dev --no-audit --no-fund --include-workspace-root \
      -w @clinic/api -w @clinic/worker -w @clinic/workflows -w @clinic/temporal -w @clinic/activities \
      -w @clinic/gateways -w @clinic/prisma -w @clinic/shared -w @clinic/accounts -w @clinic/sandbox -w @clinic/commands
# What the image holds, for whoever looks for a vulnerable package.
RUN npm sbom --omit=dev --sbom-format cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE}
# Temporal's client checks certificates against the system's.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app ./
COPY temporal/failure-converter.cjs ./temporal/
COPY prisma/schema.prisma ./prisma/
COPY prisma/migrations ./prisma/migrations
COPY gateways/voice/assistants/*.md ./gateways/voice/assistants/
COPY docs/*.md ./docs/
COPY --from=build /app/dist ./dist
COPY --from=build /app/dashboard/dist ./dashboard/dist
COPY --from=build /app/workflows.js ./workflows.js
ENV WORKFLOW_BUNDLE=/app/workflows.js
USER node
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/api.js"]
