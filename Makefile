# `make help` lists what can be made.
PREFIX ?= /usr/local
DEMO ?= .demo

.DEFAULT_GOAL := help
.PHONY: help setup build demo chaos test lint bench install new-provider

help:    ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:   ## install what build and tests need, from Debian packages
	@Scripts/setup

build: setup ## build tieout and tieout-sandbox (debug)
	@swift build

demo: build ## three simulated nights against the sandbox, compared with its truth
	@Scripts/demo "$(DEMO)"

chaos: build ## nights killed, cut off and misled, compared with one in peace (CHAOS_TRANSACTIONS, CHAOS_SEED, CHAOS_KILLS)
	@Scripts/chaos

test: setup ## lint, build, every test against a throw-away PostgreSQL
	@Scripts/test

lint:    ## check the format of every source
	@swift format lint --strict -r Sources Tests Package.swift

bench: setup ## budgets against plain tools, as a table (BENCH_SIZE, default 100000)
	@Scripts/bench

install: setup ## release build into PREFIX (default /usr/local)
	@Scripts/install "$(PREFIX)"

new-provider: ## lay out the folders of one more provider: make new-provider NAME=acme
	@Scripts/new-provider "$(NAME)"
