# A thin face on CMake. `make help` lists what there is.

KIND ?= release
JOBS ?= $(shell nproc)
DESTDIR ?=
prefix ?= /usr/local
SEED ?= 0
ROUNDS ?=
MODE ?= any
MINUTES ?= 5
RECORDS ?= 1000000
KINDNAME_release = Release
KINDNAME_debug = Debug
KINDNAME_asan = Asan
KINDNAME_tsan = Tsan
BUILD = build/$(KIND)
PROGRAMS = mq-namesrv mq-broker mq-flushd mq-reputd mq-send mq-consume mq-admin mq-storedump
CONFIGURE = cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(KINDNAME_$(KIND))
# The automatic checks treat warnings as errors.
ifeq ($(CI),true)
CONFIGURE += -DMQ_WERROR=ON
endif

.PHONY: all demo test test-unit test-e2e test-crash soak test-behind test-garbage fuzz bench asan tsan coverage format lint generated \
  check-generated install package dist clean help deps configure build

all: build ## build every executable and test (KIND=release, debug, asan or tsan)

deps: ## install the Debian packages that are missing
	@.ci/deps

configure: deps
	@mkdir -p build
	@$(CONFIGURE) > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }

build: configure
	@ninja -C $(BUILD) -j $(JOBS) --quiet

demo: configure ## start a name server and a broker, pipe lines through them, stop
	@ninja -C $(BUILD) -j $(JOBS) --quiet $(PROGRAMS)
	@BUILD=$(BUILD) tests/demo

test: ## everything the automatic checks run, with a line "N passed, N failed" at the end
	@tests/run

test-unit: build ## the unit tests
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-e2e: build ## the end-to-end tests, with real processes
	@BUILD=$(BUILD) tests/e2e/run

test-crash: ## power cuts, kills, damaged stores: SEED=N ROUNDS=N KIND=power|points|model|damage|kill MODE=async|sync|pool
	@$(MAKE) --no-print-directory KIND=release build
	@BUILD=build/release tests/crash/run --seed $(SEED) --mode $(MODE) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(filter-out file,$(origin KIND)),--kind $(KIND))

soak: build ## load with kills for MINUTES minutes (5): memory, descriptors and files stay bounded, nothing is lost
	@BUILD=$(BUILD) tests/crash/soak --minutes $(MINUTES) --seed $(SEED)

test-behind: build ## mq-reputd stopped for RECORDS records (1000000) catches up on its own
	@BEHIND_RECORDS=$(RECORDS) BUILD=$(BUILD) bats --print-output-on-failure --show-output-of-passing-tests \
	  -f 'catches up on its own' tests/e2e/4001-reputd-stopped.bats

test-garbage: build ## a million garbage frames on a hundred thousand connections, with a sender beside them
	@GARBAGE_CONNECTIONS=100000 GARBAGE_FRAMES=1000000 BUILD=$(BUILD) bats --print-output-on-failure \
	  -f 'flood of garbage' tests/e2e/1010-hostile-bytes.bats

fuzz: deps ## run each fuzzer for SECONDS seconds (30), two at a time
	@tests/fuzz/run $(SECONDS)

bench: build ## the benchmarks, as ratios to this machine's own limits
	@BUILD=$(BUILD) tests/bench/run

asan: ## unit and end-to-end tests under the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory KIND=asan test-unit test-e2e

tsan: ## the same under the thread sanitizer
	@$(MAKE) --no-print-directory KIND=tsan test-unit test-e2e

format: deps ## reformat all sources
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

lint: build ## format, include layers, banned calls, clang-tidy
	@BUILD=$(BUILD) tests/lint/run

generated: build ## print manual pages, completions and example configuration anew from the option tables
	@BUILD=$(BUILD) tests/lint/generated --write

check-generated: build ## fail when the committed ones differ
	@BUILD=$(BUILD) tests/lint/generated --check

install: build ## install below $(DESTDIR)$(prefix)
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(prefix) --strip > /dev/null

package: build ## a Debian package under dist/, with the programs, pages, completions, units and examples
	@cmake --build $(BUILD) --target package > /dev/null && ls -l dist/*.deb

coverage: deps ## line coverage of the unit tests, with gcov
	@cmake -S . -B build/coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=--coverage > /dev/null
	@ninja -C build/coverage --quiet && ctest --test-dir build/coverage -j $(JOBS) > /dev/null
	@tests/lint/coverage build/coverage

dist: ## a source archive under dist/
	@mkdir -p dist && git archive --format=tar.gz --prefix=mq/ -o dist/mq.tar.gz HEAD && ls -l dist/mq.tar.gz

clean: ## remove what was built
	@rm -rf build dist

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 18
