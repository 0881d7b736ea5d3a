# Everything here needs Go alone; lint fetches its tools as Go modules.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.7.0
DEADCODE = golang.org/x/tools/cmd/deadcode@v0.49.0

.PHONY: build test test-long test-all coverage race race-soak cross bench bench-zoom soak fuzz fuzz-changed verify-bladerow lint release clean

# -buildvcs=auto writes the commit into the program, for `peregrine version`.
build:
	go build -trimpath -buildvcs=auto -o bin/ ./cmd/...

# The short tests, which need Go alone; make lint vets. TESTFLAGS adds flags of go test; each package has five minutes at
# most. LONG is written: which tests are long or have a long form.
LONG = bin/long-tests
test:
	@go run ./internal/testrun -to $(LONG) -vet=off -timeout 5m $(TESTFLAGS) ./...

# The long tests, as the last make test names them: clusters, OpenFOAM, browsers, compilers, killed studies. Four packages at
# a time, as many wait for processes.
test-long:
	@PEREGRINE_TESTS=long go run ./internal/testrun -from $(LONG) -vet=off -p 4 -timeout 25m $(TESTFLAGS)

# All of them.
test-all: test
	@$(MAKE) --no-print-directory test-long

# What share of its statements the short tests and all tests of each package run. It fails where the short ones run
# over five points less.
coverage:
	@mkdir -p bin
	@$(MAKE) --no-print-directory test TESTFLAGS=-coverprofile=bin/short.out
	@$(MAKE) --no-print-directory test-long TESTFLAGS=-coverprofile=bin/long.out
	@go run ./internal/testrun coverage bin/short.out bin/long.out

# The short tests of what runs in several goroutines under the race detector (needs a C compiler); make soak has those of all
# packages, and the long tests of what solves in several. If the detector itself fails (a check in ThreadSanitizer's own
# code, without a race), they run once more.
RACE = ./watchdog/notify ./zoom/run ./zoom/run/attempt ./zoom/host/nodes ./zoom/host/launch/... ./zoom/host/batchqueue ./zoom/host/agent ./zoom/plugin ./zoom/steer/client/... ./zoom/licence \
	./watchdog ./watchdog/log ./watchdog/sensor ./watchdog/tail ./watchdog/watch ./executive/sweep ./perfmap/cache \
	./internal/atomic ./internal/certificate ./internal/clock ./internal/hosting ./internal/process ./internal/terminal
race:
	@mkdir -p bin; run() { CGO_ENABLED=1 go run ./internal/testrun -race -vet=off -timeout 10m $(RACE) >bin/race.log 2>&1; }; \
	run || { grep -q '^ThreadSanitizer: CHECK failed' bin/race.log && ! grep -q 'DATA RACE' bin/race.log && run; }; \
	status=$$?; cat bin/race.log; exit $$status

race-soak:
	@$(MAKE) --no-print-directory race RACE=./...
	@CGO_ENABLED=1 PEREGRINE_TESTS=long go run ./internal/testrun -race -vet=off -timeout 10m \
		-run '^(TestSweepDoesNotDependOnWorkers|TestMapGrowsAhead|TestInterruptedWhileMapGrows|TestWorkers)$$' \
		./executive/sweep ./executive/session ./zoom/solver/bladerow

# For the systems that the tests do not run on: builds and vets the module and its tests. arm64 has no AVX2 kernels. CI
# only type-checks them (make lint).
cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go vet ./...

# One at a time, so that they do not disturb each other. In the end the table of what zooming and rules cost, beside its goals and where it
# began. Half an hour on two cores, most of it the table's.
bench:
	go test -p 1 -timeout 3h -run '^$$' -bench . ./... 2>&1 | go run ./internal/goal

# The benchmarks of that table alone; it says how long each took.
bench-zoom:
	go test -p 1 -timeout 3h -run '^$$' -bench '^Benchmark(Zoom.*|Whole|Ends|Neighbour|Unsettled)$$' -benchtime 1x \
		./executive ./zoom ./zoom/solver/throughflow ./zoom/solver/bladerow 2>&1 | go run ./internal/goal

# All tests with random seeds and as many trials as an hour or two allow: studies killed, interrupted, stopped, out of
# disk and out of nodes, solvers that fail in every class, mutated engines. Then all under the race detector, and every reader's
# fuzzing, a minute each.
# PEREGRINE_SEED repeats one.
soak:
	PEREGRINE_TESTS=soak go run ./internal/testrun -count 1 -timeout 2h ./...
	$(MAKE) race-soak
	$(MAKE) fuzz FUZZTIME=60s

# Every reader with random inputs, each for FUZZTIME, guided by the coverage of its package and those below (go test -fuzz
# would build all that it imports anew). An input that fails is kept in testdata/fuzz of the package, and is a test from then
# on. A target that fails runs once more: its failing input fails again; the end of its time, which Go may take for a failure
# on a busy machine (go.dev/issue/75804), does not.
MODULE = github.com/peregrine-sim/peregrine
FUZZTIME = 10s
FUZZ = config:FuzzParse config:FuzzControls config:FuzzRules config/settings:FuzzSettings \
	config/hosts:FuzzParse zoom/solver/blade:FuzzGeometry zoom/solver/throughflow:FuzzSolution \
	zoom/solver/bladerow:FuzzSolution perfmap/format:FuzzParse perfmap/format:FuzzForeign perfmap/cache:FuzzEntry \
	perfmap/cache:FuzzBundle watchdog/event:FuzzLog watchdog/history:FuzzLines watchdog/history:FuzzPattern \
	watchdog/fileformat:FuzzDescription watchdog/fileformat:FuzzDraft watchdog/sensor:FuzzRecords \
	zoom/solver/external:FuzzDescription \
	watchdog/trace/format:FuzzRead watchdog/trace/format:FuzzDescription \
	internal/network:FuzzRead zoom/predict:FuzzParseGraph zoom/predict/batch:FuzzParse zoom/predict/bmf:FuzzProgram \
	internal/entry:FuzzFind zoom/plugin:FuzzReply zoom/plugin:FuzzCommand \
	zoom/steer/script:FuzzScript zoom/steer/condition:FuzzCompile zoom/host/agent:FuzzStream \
	zoom/host/agent:FuzzHost zoom/host/agent:FuzzHome zoom/host/slurm:FuzzQueue \
	executive/transient:FuzzCheckpoint

fuzz:
	@mkdir -p bin
	@set -e; for target in $(FUZZ); do \
		folder=$${target%%:*} name=$${target##*:}; echo "$$folder $$name"; \
		go test -c -vet=off -o bin/fuzz.test -gcflags="$(MODULE)/$$folder/...=-d=libfuzzer" "./$$folder"; \
		once="$(CURDIR)/bin/fuzz.test -test.run=^Fuzz -test.fuzz=^$$name$$ -test.fuzztime=$(FUZZTIME) -test.parallel=2 -test.fuzzminimizetime=1s \
			-test.fuzzcachedir=$$(go env GOCACHE)/fuzz/$(MODULE)/$$folder"; \
		(cd "$$folder"; $$once || $$once); \
	done

# A minute of fuzzing for readers whose package changed in the last day of commits, or since FUZZSINCE: six at most.
FUZZSINCE = $(shell git rev-list -1 --before=$$(($$(git log -1 --format=%ct) - 86400)) HEAD)
fuzz-changed:
	@set -e; targets=$$(git diff --name-only "$(FUZZSINCE)" HEAD | sed 's|/[^/]*$$||' | sort -u | \
		while read -r folder; do for t in $(FUZZ); do [ "$${t%%:*}" = "$$folder" ] && echo "$$t"; done; done | \
		shuf -n 6 | tr '\n' ' '); \
	set -- $$targets; \
	[ $$# -gt 0 ] || { echo "no reader changed since $(FUZZSINCE)"; exit 0; }; \
	$(MAKE) --no-print-directory fuzz FUZZ="$$targets" FUZZTIME=$$((60 / $$#))s

# NASA Rotor 67 and the E3's fan rotor by the 3-D solver, a quarter of an hour on two cores;
# OUT names a folder for the pictures.
verify-bladerow:
	PEREGRINE_VERIFY=fine PEREGRINE_VERIFY_OUT=$(OUT) go test -count 1 -timeout 3h -run '^(TestRotor67|TestE3FanRotor)$$' -v ./zoom/solver/bladerow

lint:
	@unformatted="$$(gofmt -l .)"; test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	go vet -C watchdog/corpus/_make
	go vet -C cmd/_release
	go run $(STATICCHECK) ./...
	@mkdir -p bin
	go run $(DEADCODE) -json ./... > bin/deadcode.json
	PEREGRINE_TESTS=lint PEREGRINE_DEADCODE="$(CURDIR)/bin/deadcode.json" go test -count 1 -timeout 5m ./internal/house

# The files of a release in bin/release: archives, Debian packages, bills of materials, checksums. The same commit and the
# same Go give the same bytes. A tag such as v0.1.0 gives the version.
release:
	go run -C cmd/_release . -out "$(CURDIR)/bin/release"

clean:
	rm -rf bin
