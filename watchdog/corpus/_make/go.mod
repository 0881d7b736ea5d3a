module github.com/peregrine-sim/peregrine/watchdog/corpus/_make

go 1.26.0

require github.com/peregrine-sim/peregrine v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/peregrine-sim/peregrine => ../../..
