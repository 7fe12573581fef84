# docker build -t hooklet .
# docker build -t hooklet:slim --target slim .   without bash, jq, curl, kubectl and packages: for hooks in TypeScript
# Then, for hooks of one's own: FROM hooklet, ADD hooks /hooks. More in docs/operations.md.

# Each of them can be another image: --build-arg RUNTIME=… A tag may be moved to another image at any time; with
# $(node scripts/pin-images.ts) a build takes them by digest. On Alpine:
# --build-arg BASE=node:24-alpine --build-arg RUNTIME=alpine:3.22
ARG BASE=node:24-trixie-slim
ARG RUNTIME=debian:trixie-slim
ARG KUBECTL=registry.k8s.io/kubectl:v1.35.4

FROM ${KUBECTL} AS kubectl

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/jq/package.json packages/jq/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/test-kubelet/package.json packages/test-kubelet/
COPY packages/create-hooklet/package.json packages/create-hooklet/
# For a registry of one's own: --secret id=npmrc,src=$HOME/.npmrc, and with a certificate that is not public also
# --secret id=ca,src=FILE, named in that .npmrc as cafile=/run/secrets/ca.pem.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca.pem \
  npm ci --ignore-scripts
COPY LICENSE tsconfig.json tsconfig.types.json ./
COPY scripts scripts
COPY packages/jq packages/jq
COPY packages/sandbox packages/sandbox
COPY packages/create-hooklet packages/create-hooklet
COPY src src
COPY frameworks frameworks
COPY templates templates
COPY schemas schemas
COPY deploy deploy
# For the user of the image, and for root.
RUN npm run build && node scripts/compile.ts 65532 0
COPY frameworks/shell_lib.sh /out/shell_lib.sh
COPY frameworks/shell /out/frameworks/shell
# What the image has besides packages, laid out as in its root: all of hooklet in one folder, which can be copied into
# another image, and the places where it is looked for. /shell-operator is what manifests for shell-operator name.
RUN set -e; home=/usr/local/lib/hooklet; \
  mkdir -p /out$home/bin /out/usr/local/bin /out/node_modules /out/hooks; \
  cp "$(node -p process.execPath)" /out$home/bin/node; \
  cp -R package.json LICENSE dist /out$home; \
  rm -r /out$home/dist/types; \
  for launcher in $home/bin/hooklet $home/bin/shell-operator /shell-operator; do \
    cp scripts/image/launcher.sh /out$launcher; \
    chmod 755 /out$launcher; \
  done; \
  ln -s $home/bin/node /out/usr/local/bin/node; \
  ln -s $home/dist/main.js /out/usr/local/bin/hooklet; \
  ln -s $home /out/node_modules/hooklet; \
  sh scripts/image/strip.sh /out$home/bin/node

# What both images say and do.
FROM scratch AS settings
ARG VERSION=0.1.0
# Where the sources are and their commit, which the build does not know by itself.
ARG SOURCE=
ARG REVISION=
# A root that is put together has no variables of a base.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# The peer's names: hooks read the first, and both give way to HOOKLET_HOOKS_DIR and HOOKLET_LOG_FORMAT.
ENV SHELL_OPERATOR_HOOKS_DIR=/hooks LOG_TYPE=json
# Its parts are in /frameworks/shell, where images for shell-operator may have added some.
ENV HOOKLET_SHELL_LIB=/shell_lib.sh
# kubectl keeps there what it knows of the API server; the home folder may be read-only.
ENV KUBECACHEDIR=/tmp/kube-cache
# Lists come through large buffers. The C library would keep what these took, and that for each thread.
ENV GLIBC_TUNABLES=glibc.malloc.trim_threshold=131072:glibc.malloc.arena_max=2
LABEL org.opencontainers.image.title=hooklet \
  org.opencontainers.image.description="Runs hooks when something happens in Kubernetes, on a schedule, or on request" \
  org.opencontainers.image.source=${SOURCE} \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.revision=${REVISION}
EXPOSE 9115
# By number, so that Kubernetes sees it is not root.
USER 65532:65532
ENTRYPOINT ["/sbin/tini", "--", "hooklet"]
CMD ["start"]

FROM ${RUNTIME} AS few-programs
COPY scripts/image /tmp/image
RUN sh /tmp/image/slim.sh /root-of-slim
COPY --from=build /out /root-of-slim
RUN cp /tmp/image/sbom.ts /root-of-slim/tmp/ && chroot /root-of-slim node /tmp/sbom.ts && rm /root-of-slim/tmp/sbom.ts

FROM settings AS slim
COPY --from=few-programs /root-of-slim /

FROM ${RUNTIME} AS programs
COPY scripts/image /tmp/image
RUN sh /tmp/image/base.sh
COPY --from=kubectl /bin/kubectl /usr/local/bin/kubectl
COPY --from=build /out /
RUN node /tmp/image/sbom.ts && rm -r /tmp/image

# In one layer: what was taken out of the base takes no room.
FROM settings AS full
COPY --from=programs / /
