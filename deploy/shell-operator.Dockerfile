# For images and charts made for shell-operator: as root, with its program as entry point, so with its names in logs and
# metrics. docker build -t hooklet . && docker build -t shell-operator -f deploy/shell-operator.Dockerfile deploy
FROM hooklet
USER 0:0
WORKDIR /
ENTRYPOINT ["/sbin/tini", "--", "/shell-operator"]
CMD ["start"]
