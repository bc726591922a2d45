SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup test-setup serve dist site address check test test-model test-chromium test-firefox test-webkit lint lint-code format bench fuzz kernels engines overheads validate start profiles papers clean

PORT ?= 8080
WASM := --target wasm32-unknown-unknown
IN := . .ci/env &&
TRUNK := $(IN) cargo fetch --quiet --locked && trunk --log warn

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: setup ## build the page and serve it: PORT=8080
	@printf '\n  Foretoken: http://127.0.0.1:%s/ (once built; stop with ctrl-c)\n\n' $(PORT)
	@$(TRUNK) serve --release --cargo-profile page --offline --address 127.0.0.1 --port $(PORT)

dist: setup ## build the static site into dist/
	@$(TRUNK) build --release --cargo-profile page --offline

ADDRESS ?=
site: address dist ## the site with its address and pages for robots: ADDRESS=https://example.org/foretoken/
	@$(IN) cargo run --locked --release --quiet --package foretoken-render -- site dist '$(ADDRESS)'

address:
	@test -n '$(ADDRESS)' || { echo 'make site needs the address of the site: ADDRESS=https://example.org/foretoken/'; exit 1; }

# A part of the page's tests: the page opens, answers, is legible, and says what is wrong. `make check` runs it in Chromium, to be
# short; `make test` in WebKitGTK, whose driver does less.
SMOKE := -- page::opens_with page::each_view page::a_control links::a_broken looks::

# The three browsers one after the other: each drives the page by itself, and two at once disturb each other's timing.
test: test-setup dist ## the model's tests, then the built page's in three browsers
	@$(MAKE) --no-print-directory test-model
	@$(MAKE) --no-print-directory test-chromium test-firefox test-webkit

check: test-setup dist ## before a commit: formatting, clippy, the model's tests, a part of the page's tests in Chromium
	@$(MAKE) --no-print-directory lint-code test-model
	@printf '\n  Browser: chromium\n\n'
	@$(IN) FORETOKEN_BROWSER=chromium RUST_LIB_BACKTRACE=0 cargo test --locked --package browser-tests $(SMOKE)

test-model: # the model's tests, which need no browser
	@$(IN) cargo test --locked --workspace --exclude browser-tests

test-chromium test-firefox: test-%: test-setup # the built page in one browser
	@printf '\n  Browser: %s\n\n' $*
	@$(IN) FORETOKEN_BROWSER=$* RUST_LIB_BACKTRACE=0 cargo test --locked --package browser-tests

test-webkit: test-setup
	@printf '\n  Browser: WebKitGTK\n\n'
	@$(IN) FORETOKEN_BROWSER=webkit RUST_LIB_BACKTRACE=0 cargo test --locked --package browser-tests $(SMOKE)

lint-code: # formatting and clippy, of the model, the tools, the fuzz targets and the page
	@$(IN) cargo fmt --all --check
	@$(IN) cargo fmt --manifest-path fuzz/Cargo.toml --check
	@$(IN) cargo clippy --locked --workspace --all-targets -- -D warnings
	@$(IN) cargo clippy --locked --manifest-path fuzz/Cargo.toml -- -D warnings
	@$(IN) cargo clippy --locked --package foretoken $(WASM) -- -D warnings

lint: setup lint-code ## formatting, clippy and documentation, without any warning
	@$(IN) RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps --document-private-items
	@$(IN) RUSTDOCFLAGS='-D warnings' cargo doc --locked --package foretoken $(WASM) --no-deps --document-private-items

format: setup ## format the code
	@$(IN) cargo fmt --all

start: setup ## write the answer that the page shows before its program has started
	@$(IN) cargo run --locked --quiet --package foretoken-render -- start

overheads: setup ## fit what training software adds to published step times: every fifth, of small sources every second
	@$(IN) cargo run --locked --release --quiet --package foretoken-tools --example overheads -- tests/measured/training*.jsonl tests/measured/one_gpu.jsonl

bench: test-setup dist ## time the model, then the page in a browser
	@$(IN) cargo bench --locked
	@$(IN) cargo run --locked --quiet --package browser-tests --example page

MEASURED := $(sort $(wildcard tests/measured/*.jsonl tests/measured/*.csv)) \
	tests/golden/calculon_cases.json \
	tests/golden/subramanian_cases.json tests/golden/subramanian_search.json

SECONDS_EACH ?= 60
fuzz: setup ## feed hostile links and files to whatever reads them: SECONDS_EACH=60
	@fuzz/run $(SECONDS_EACH)

validate: setup ## predict every published row; write the accuracy tables, bands and the page's rows
	@$(IN) cargo run --locked --quiet --package foretoken-tools --example validate -- --page public/validation.csv \
		--bands src/validation/bands.csv --spreads src/validation/spreads.csv --loads src/validation/loads.csv \
		--abroad src/validation/abroad.csv \
		--unmeasured src/validation/unmeasured.csv --makers src/validation/makers.csv --docs . $(MEASURED)

# Rows from which the kernels of llama.cpp were modelled say nothing of rows of other people: they are in no prior.
profiles: setup ## say what rows of one's own are worth; write the priors of their corrections
	@$(IN) cargo run --locked --quiet --package foretoken-tools --example profiles -- --priors src/calibration/priors.csv --factors src/calibration/factors.csv \
		--docs . $(filter-out tests/measured/one_gpu_llamacpp.jsonl,$(filter tests/measured/%,$(MEASURED)))

papers: setup ## compute every result of the two papers; write docs/papers.md
	@$(IN) cargo run --locked --quiet --package foretoken-tools --example papers -- docs/papers.md

kernels: setup ## fit the constants to the measured kernels again, and say how far off they are
	@$(IN) cargo run --locked --release --package foretoken-tools --example kernels

engines: setup ## fit the overheads of serving engines, and print the rows
	@$(IN) cargo run --locked --release --package foretoken-tools --example engines -- tests/measured/inference.jsonl tests/measured/serving.csv

clean: ## remove what was built
	@$(IN) cargo clean
	@rm -rf dist artefacts

setup: # what building needs and this machine lacks
	@.ci/setup build

test-setup: # and what testing needs
	@.ci/setup test
