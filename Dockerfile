# The service. Build it with `docker build -t waymark-server .`, and start it with
#   docker run -p 8787:8787 -v waymark-data:/data -e WAYMARK_API_KEYS=pk_your_key -e WAYMARK_USERS=ada:secret waymark-server
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && npm pack --workspace server

FROM node:24-bookworm-slim
WORKDIR /service
COPY --from=build /build/waymark-server-*.tgz waymark-server.tgz
RUN mkdir server /data && chown node:node /data && tar -xzf waymark-server.tgz --strip-components=1 -C server && rm waymark-server.tgz
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev --workspace server
ENV WAYMARK_HOST=0.0.0.0 WAYMARK_PORT=8787 WAYMARK_DATA=/data
USER node
VOLUME /data
EXPOSE 8787
# The image has no curl. A container that gets another port gets it by WAYMARK_PORT, so that this finds it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WAYMARK_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node_modules/.bin/waymark-server"]
