# The two commands a newcomer needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP = $(BIN)/pip install --quiet --disable-pip-version-check
# How the kernels are compiled: for `make demo` soon, unless they are there already.
PROFILE = $(if $(wildcard target/release/lib_kernels.*),release,demo)
MATURIN = VIRTUAL_ENV=$(abspath $(VENV)) $(abspath $(BIN))/maturin
# What the tests need besides ilk itself; EXTRAS=test,test-tools adds the frameworks.
EXTRAS ?= test
PACKAGES := $(wildcard packages/*)
# Test processes; 0 runs them all in one, whose output and debugger are yours.
WORKERS ?= auto
# How the tests run where nobody reads along: the same examples every time.
export HYPOTHESIS_PROFILE ?= $(if $(CI),ci,default)

.PHONY: demo core test test-long bench bench-billion wheel docs build clean

demo: core ## Scan a real folder that every machine has: Python's own library.
	@cd "$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('stdlib'))")"; \
	words="--include *.py --exclude site-packages --exclude __*__.py"; \
	echo "ilk scan . $$words --top 3    (in $$PWD)"; echo; set -f; \
	$(abspath $(BIN))/ilk scan . $$words --top 3

test: build ## Every check: formats, lints, types, contracts, Rust and Python tests.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --release --quiet -- -D warnings
	cargo test --package ilk-joins --package ilk-kernels --profile demo --quiet
	RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --package ilk-joins --package ilk-kernels --quiet
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml ilk._kernels
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -m "not long" -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

test-long: build ## What takes minutes: fuzzing, big grids, kills, ClickHouse.
	$(PIP) $(call requirements,test-long)
	RUSTFLAGS='--cfg loom' cargo test --release --quiet --manifest-path rust/models/Cargo.toml --target-dir target/models
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m long
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "not long" tests/property

bench: build ## Ratios against yardsticks measured in the same run.
	$(BIN)/python -m benchmarks

bench-billion: build ## The exact join of 10^9 fingerprints; FOLDER=... takes 8 GB of disk.
	$(BIN)/python -m benchmarks.billion $(if $(FOLDER),--folder $(FOLDER))

wheel: $(VENV)/maturin ## dist/: runs on every Linux of 2019 or newer, without Rust or a compiler.
	$(PIP) 'auditwheel>=6.1' 'hatchling>=1.26' 'ziglang>=0.13'
	PATH="$(abspath $(BIN)):$$PATH" $(MATURIN) build --release --strip --zig --compatibility manylinux_2_28 --out dist
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist $(PACKAGES:%=./%)
	$(BIN)/auditwheel show $$(ls -t dist/ilk-*.whl | head -1)
	@echo "Install it into an empty environment, and run every example: make build; $(BIN)/python -m pytest -m long tests/release"

docs: build ## docs/_build: the site of the documents, the page of the papers, a report; no network.
	$(BIN)/ilk papers all --html docs/_build/extra/papers >/dev/null
	mkdir -p docs/_build/extra/sample && $(BIN)/python scripts/make-sample docs/_build/extra/sample
	$(BIN)/python -c 'import furo, myst_parser' 2>/dev/null || $(PIP) $(call requirements,docs)
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html

# The packages that extras of pyproject.toml name.
requirements = $$($(BIN)/python scripts/requirements $(1))

# ilk alone, for `make demo`. The first build also installs; later ones only compile what changed.
core: $(VENV)/core
	@$(MATURIN) develop --profile $(PROFILE) --quiet --skip-install

# ilk, the packages beside it, and what their tests need.
build: PROFILE = release
build: core $(VENV)/tests

$(VENV)/core: $(VENV)/maturin pyproject.toml
	@echo "Compiling the kernels of ilk, once: a minute or two. Cargo says how far it is."
	PIP_QUIET=1 $(MATURIN) develop --profile $(PROFILE)
	@touch $@

# An older pip warns that packages lack extras which they have, if a name has a "_".
$(VENV)/maturin:
	@command -v cargo >/dev/null || { echo "ilk builds its kernels with Rust, and there is no cargo here: install Rust 1.89 or newer (https://rustup.rs), then run make again." >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "ilk needs Python 3.11 or newer, and there is no $(PYTHON) here; name yours: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ilk needs Python 3.11 or newer, and $(PYTHON) is older; name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'pip>=23.3' 'maturin>=1.9,<2'
	@touch $@

$(VENV)/tests: $(VENV)/core $(wildcard packages/*/pyproject.toml)
	$(PIP) $(call requirements,$(EXTRAS)) 'editables>=0.5' 'hatchling>=1.26'
	$(PIP) --no-build-isolation $(PACKAGES:%=--editable %)
	@touch $@

clean: ## Removes what the other commands made.
	rm -rf $(VENV) target src/ilk/*.so
