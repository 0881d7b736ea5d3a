package watch_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// What became of a run, by the table of residuals that it wrote.
func ExampleOnce() {
	folder, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	table := "iteration res_u res_p\n"
	for i := range 200 {
		table += fmt.Sprintf("%d %.3e %.3e\n", i, 1/float64(1+i*i), 0.5)
	}
	file := filepath.Join(folder, "history.dat")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		log.Fatal(err)
	}
	err = watch.Once([]string{file}, watch.Options{}, func(l watch.Line) {
		if l.Final {
			fmt.Println(l.State, l.Usable)
			fmt.Println(l.Reasons[0])
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// stalled false
	// p is frozen: 0.5, target 5e-05
}
