package ssh_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func freeze(t *testing.T, _ process.ID) { testenv.NotHere(t, "no process can be held") }
