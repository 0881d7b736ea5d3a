# Everything here needs Go alone; lint fetches its tools as Go modules.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.7.0
DEADCODE = golang.org/x/tools/cmd/deadcode@v0.49.0

.PHONY: build test test-all race cross bench bench-zoom soak fuzz verify-bladerow lint clean

# -buildvcs=auto writes the commit into the program, for `peregrine version`.
build:
	go build -trimpath -buildvcs=auto -o bin/ ./cmd/...

# The short tests, which need Go alone; TESTFLAGS adds flags of go test.
test:
	@go run ./internal/testrun -timeout 2m $(TESTFLAGS) ./...

# The short and the long tests: clusters, OpenFOAM, browsers, compilers, killed studies. No package may take five minutes.
test-all:
	@PEREGRINE_TESTS=long go run ./internal/testrun -timeout 5m $(TESTFLAGS) ./...

# What goroutines share, under the race detector (needs cgo and a C compiler): all of zooms and
# watchdogs but what one goroutine computes, elsewhere the tests that work in parallel.
race:
	CGO_ENABLED=1 go test -race -timeout 20m ./zoom/... $$(go list ./watchdog/... | grep -v -e /watchdog/state$$ -e /watchdog/corpus -e /watchdog/watch$$)
	CGO_ENABLED=1 go test -race -timeout 20m -run '^TestFollow' ./watchdog/watch
	CGO_ENABLED=1 go test -race -timeout 20m ./perfmap/cache ./internal/hosting ./internal/process
	CGO_ENABLED=1 go test -race -timeout 20m -run '^(TestSweepDoesNotDependOnWorkers|TestMapGrowsAhead|TestInterruptedWhileMapGrows)$$' ./executive/sweep ./executive/model
	CGO_ENABLED=1 go test -race -timeout 20m -run '^TestWorkers$$' ./components/cfd/bladerow

# For the systems that the tests do not run on; arm64 has no AVX2 kernels. Vet reads the tests, too.
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
		./executive ./zoom ./components/cfd/throughflow ./components/cfd/bladerow 2>&1 | go run ./internal/goal

# The crash suite in full: studies killed, interrupted, stopped, out of disk and out of nodes at random, twenty minutes on two cores; then 2,000 runs of a
# solver that fails in every class, five minutes.
# PEREGRINE_SEED repeats one.
soak:
	PEREGRINE_TESTS=soak go test -count 1 -timeout 2h -v ./cmd/peregrine/crash
	PEREGRINE_TESTS=soak go test -count 1 -timeout 1h -v -run '^TestManyFaults$$' ./zoom/run

# Every reader with inputs that nobody wrote, each for FUZZTIME. What is found is kept in
# testdata/fuzz of its package, and is a test from then on. A target that fails is run once more: what it found fails again,
# and the end of its time, which Go may take for a failure where the machine is busy (go.dev/issue/75804), does not.
FUZZTIME = 10s
FUZZ = config:FuzzParse config:FuzzControls config:FuzzRules config:FuzzSettings config/hosts:FuzzParse \
	components/cfd/blade:FuzzGeometry components/cfd/throughflow:FuzzSolution components/cfd/bladerow:FuzzSolution \
	perfmap/format:FuzzParse perfmap/format:FuzzForeign perfmap/cache:FuzzEntry perfmap/cache:FuzzBundle \
	watchdog/event:FuzzLog watchdog/history:FuzzLines watchdog/history:FuzzPattern watchdog/preset:FuzzDescription watchdog/sensor:FuzzRecords zoom/external:FuzzDescription zoom/plugin:FuzzReply zoom/plugin:FuzzCommand zoom/steering/script:FuzzScript components/steer/condition:FuzzCompile \
	zoom/relay:FuzzStream zoom/relay:FuzzHost zoom/relay:FuzzHome zoom/run/slurm:FuzzQueue executive/model:FuzzCheckpoint

fuzz:
	@set -e; for target in $(FUZZ); do \
		echo "$$target"; \
		once="go test ./$${target%%:*} -run ^Fuzz -fuzz ^$${target##*:}$$ -fuzztime $(FUZZTIME) -parallel 2"; \
		$$once || $$once; \
	done

# NASA Rotor 67 and the E3's fan rotor by the 3-D solver, a quarter of an hour on two cores;
# OUT names a folder for the pictures.
verify-bladerow:
	PEREGRINE_VERIFY=fine PEREGRINE_VERIFY_OUT=$(OUT) go test -count 1 -timeout 3h -run '^(TestRotor67|TestE3FanRotor)$$' -v ./components/cfd/bladerow

lint:
	@unformatted="$$(gofmt -l .)"; test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	@mkdir -p bin
	go run $(DEADCODE) -json ./... > bin/deadcode.json
	PEREGRINE_DEADCODE="$(CURDIR)/bin/deadcode.json" go test -count 1 ./internal/house

clean:
	rm -rf bin
