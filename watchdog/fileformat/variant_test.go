package fileformat_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
)

// variants are files as programs write them, with the format that they are recognized as and the values of their last
// iteration.
// Files as programs write them are recognized by their contents and read, with all their peculiarities. Above each is
// its name, its format, and the values of its last iteration; ~ is a carriage return.
func TestVariants(t *testing.T) {
	for text := range strings.SplitSeq(string(must.Value(os.ReadFile("testdata/variants.txt"))(t))[3:], "\n-- ") {
		head, text, _ := strings.Cut(text+"\n", "\n")
		name, rest, _ := strings.Cut(head, ": ")
		wanted, want, _ := strings.Cut(rest, ": ")
		text = strings.ReplaceAll(text, "~", "\r")
		t.Run(name, func(t *testing.T) {
			format, events := read(t, text, false)
			got := ""
			for _, e := range events {
				if e.Kind == event.Iteration && e.Values["time"] != 2e-6 {
					got = fmt.Sprint(e.Values)
					if len(e.NonFinite) > 0 {
						got += fmt.Sprint(" ", e.NonFinite)
					}
				}
			}
			if format != wanted || got != want {
				t.Errorf("%s: got %s, %s; want %s", text, format, got, want)
			}
			if _, again := read(t, text, true); show(again) != show(events) {
				t.Errorf("by parsers that go on:\n%s\nnot\n%s", show(again), show(events))
			}
		})
	}
}

// Histories are tables, whatever is not finite, text, or a place in them: when in doubt, a table is judged.
func TestTablesInDoubt(t *testing.T) {
	for name, text := range map[string]string{
		"not finite at first": "iter,residual,cl\n1,nan,0.1\n2,0.5,0.2\n3,0.4,0.3\n",
		"infinite at first":   "iter,residual,x\n1,inf,inf\n2,0.5,0.2\n3,0.4,0.3\n",
		"not there at first":  "Time,p,Ux\n0,N/A,N/A\n1,1,0.9\n2,0.5,0.8\n",
		"names of files":      "iter,residual,file\n1,1,s_1.vtu\n2,0.5,s_2.vtu\n3,0.4,s_3.vtu\n",
		"dates":               "iter date res\n1 Nov-28-10:00 0.1\n2 Nov-28-10:01 0.05\n3 Nov-28-10:02 0.04\n",
		"where it is worst":   "iter,res,cell\n1,1,B1:3\n2,0.5,B2:7\n3,0.4,B1:8\n",
		"depth of water":      "t,h,u\n0,1,0\n0.1,1.1,0.2\n0.2,1.2,0.3\n",
		"a tip-speed ratio":   "t,Cp,lambda\n0,0.1,7\n0.1,0.2,7\n0.2,0.3,7.1\n",
		"one coefficient":     "t,cp\n0,1\n0.1,1.1\n0.2,1.2\n",
		"a length that grows": "length,step,load\n10,1,0.1\n10.1,2,0.2\n10.2,3,0.3\n",
		"a Mach number":       "mach,iter,cl\n0.1,10,0.1\n0.11,20,0.2\n0.12,30,0.3\n",
		"numbers of rows":     "run,iter,res\n1,1,0.1\n2,2,0.2\n3,3,0.3\n",
		"a distance":          "distance,iter,E\n1,0,1\n2,1,2\n3,2,3\n",
		"a pitching airfoil":  "alpha,time,cl\n0,0,0.1\n0.1,0.1,0.2\n0.2,0.2,0.3\n",
		"a body that moves":   "x,y,z,time\n1,0,1,0\n2,1,2,0.1\n3,2,3,0.2\n",
		"inner iterations":    "tstep iter res\n1 1 0.1\n1 2 0.05\n2 1 0.1\n2 2 0.04\n3 1 0.1\n3 2 0.05\n",
		"the last inner one":  "n inner_iter res\n1 1 0.1\n1 5 0.05\n2 1 0.1\n2 4 0.04\n3 1 0.1\n3 6 0.05\n",
		"a short restart":     "iter res\n10 0.1\n20 0.05\n10 0.1\n",
		"a restart in time":   "time res\n0.1 0.1\n0.2 0.05\n0.1 0.1\n",
	} {
		if fileformat.Find([]byte(text)) == nil {
			t.Errorf("%s is refused", name)
		}
	}
}

// A table that its user describes is none of data, also if its description renames nothing.
func TestTableOfUser(t *testing.T) {
	p := must.Value(fileformat.Parse("my.yaml", []byte("name: mine\nheader: [tick]\ncolumns: {guess: true}\n")))(t)
	text := "species,tick,res\n1,3,0.1\n2,8,0.2\n3,9,0.3\n"
	if fileformat.FindUser([]fileformat.Preset{*p}, "out.csv", true, []byte(text)) == nil {
		t.Error("it is refused")
	}
}

// Text, dictionaries and fields are no tables, though words of a header are in them.
func TestNoTables(t *testing.T) {
	for name, text := range map[string]string{
		"prose":            "iteration of the design\ntime will show\nstep 1 of 3\n",
		"a list":           "number of steps: 3\ntime values:\n0.1 0.2\n0.3 0.4\n",
		"a field":          "VARIABLES = \"X\",\"Y\",\"T\"\nZONE I=2\n0 0 300\n1 0 301\n",
		"points":           "\"Points:0\",\"Points:1\",\"T\",\"p\"\n0,0,300,1e5\n",
		"a banner":         " INSTANT 0.3 TIME STEP NUMBER 1\n 1 2 3 4 5 6\n",
		"a header alone":   "iter residual\n",
		"a README":         "# Case\n\nRun it, then look at the results.\n",
		"a mesher's log":   "Smoothing, iteration by iteration\n- points\nDone, time for a look\n",
		"an input deck":    "nstep cfl dt\n1000 0.5 1e-3\n",
		"a commented deck": "# nstep, cfl, dt\n1000 0.5 1e-3\n# nsave, nprint, nlog\n50 10 1\n# xmin, xmax\n0 1\n",
		"results of runs":  "case,iterations,cl,cd\n1,250,0.1,0.02\n2,300,0.2,0.03\n3,360,0.3,0.04\n",
		"a polar":          "alpha (deg),CL,CD,iter\n0,0.1,0.02,250\n2,0.2,0.03,300\n4,0.3,0.04,360\n",
		"counts of cases":  "iterations;cl;cd\n250;0.1;0.02\n300;0.2;0.03\n120;0.3;0.04\n410;0.4;0.04\n",
		"species":          "# i  species  W  step\n1 H2 2.0 1\n2 O2 32.0 2\n3 N2 28.0 3\n",
		"materials":        "step\tmaterial\tE\n1\tsteel\t2e11\n2\talu\t7e10\n3\ttitanium\t1e11\n",
		"properties":       "t,cp,h\n300,1004,0\n400,1010,100\n500,1020,201\n",
		"transport":        "# t [K]  mu [Pa s]  lambda\n300 1.8e-5 0.026\n400 2.3e-5 0.03\n500 3e-5 0.04\n",
		"a profile":        "# x  T  p  time\n0 300 1e5 0\n0.1 310 1.1e5 0.01\n0.2 320 1.2e5 0.02\n",
		"a traverse":       "y/h U k time\n0.1 3 0.1 1\n0.2 4 0.2 2\n0.3 5 0.1 3\n",
		"a frame":          "#     timestep time\n0000010     2.2\n",
		"a script":         "#!/bin/sh\necho 'Create time'\niter=1\n# iter residual\n1 0.1\n2 0.05\n",
		"binary":           "\x7fELF\x02\x01iter\x00time\n\x00\x01\x02",
		"one huge line":    strings.Repeat("iter time step ", 2000),
	} {
		if p := fileformat.Find([]byte(text[:min(len(text), fileformat.SniffLength)])); p != nil {
			t.Errorf("%s: recognized as %s", name, p.Name)
		}
	}
}
