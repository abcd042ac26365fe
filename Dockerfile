# The command weave in a container. Build it from the packed command:
#
#   npm run build && npm pack -w packages/cli
#   docker build --build-arg HARNESSES="claude pi" -t weave .
#   docker run --rm -v "$PWD/my-hank:/work" -v executions:/executions -e ANTHROPIC_API_KEY weave
#
# Without HARNESSES it checks hanks and shows executions; with them it runs and rehearses.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}

RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*

COPY weave-runtime-*.tgz /tmp/
RUN npm install -g --no-audit --no-fund /tmp/weave-runtime-*.tgz \
  && rm -rf /tmp/weave-runtime-*.tgz "$(npm config get cache)" \
  # The code cache lies beside the program, which its user cannot write to; every start would compile.
  && weave --help >/dev/null

RUN useradd --uid 10001 --create-home --home-dir /var/lib/weave weave \
  && mkdir /executions /work \
  && chown weave:weave /executions /work
USER 10001
ENV HOME=/var/lib/weave WEAVE_RUNTIME_EXECUTION_BASE_DIR=/executions

ARG HARNESSES=""
RUN if [ -n "${HARNESSES}" ]; then weave harness add ${HARNESSES} -y && rm -rf "${HOME}/.npm"; fi

VOLUME /executions
WORKDIR /work
# Without a shell in between: signals reach weave itself, which ends its agents and exits with 143.
ENTRYPOINT ["weave"]
