# The image of deploy/Dockerfile with Chromium, for `tool-bridge page`. From the root of the checkout:
#
#   docker build --tag tool-bridge:local --file deploy/Dockerfile .
#   docker build --tag tool-bridge-page:local --file deploy/page.Dockerfile deploy
#
# It runs as user 10001 without capabilities; only /data is written, with the browser's profile, and /tmp.
ARG BRIDGE=tool-bridge:local

FROM ${BRIDGE}
USER 0:0
RUN apt-get update \
  && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core \
  && rm -rf /var/lib/apt/lists/*
USER 10001:10001
# Lets calls finish for 20 s: give it 40 s (`docker stop -t 40`).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8790/healthz', timeout=4)"]
ENTRYPOINT ["tool-bridge", "page", "--profile", "/data/page", "--health-port", "8790", "--no-sandbox"]
CMD ["--help"]
