# Agon with the languages in which bots are often written.
#
#   docker build --tag agon .
#   docker run --rm --network none --volume "$PWD:/work:ro" agon match planet-wars ./my-bot @rage
#
# A container forbids most of what the sandbox needs. `agon doctor` in the container says which level it has there; "In a
# container" in docs/sandbox.md says which options allow the rest.

FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo install --locked --path world/agon --features wasm,tls,postgres --root /agon

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc g++ make python3 default-jdk-headless nodejs \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home agon
COPY --from=build /agon/bin/ /usr/local/bin/
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/agon/
USER agon
WORKDIR /work
ENTRYPOINT ["agon"]
CMD ["--help"]
