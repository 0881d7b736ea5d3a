package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/terminal"
)

// Confirm asks a question on the terminal; no is the consequence of a negative answer. Without a terminal it returns an
// error, because neither answer can be assumed.
func Confirm(cmd *cobra.Command, question, no string) (bool, error) {
	unasked := fmt.Errorf("%s: no terminal to ask on; give --yes", question)
	if !Asks() {
		return false, unasked
	}
	answer, err := Ask(cmd, question+"? [y/N] ")
	if cmd.Context().Err() != nil {
		return false, cmd.Context().Err()
	}
	if err != nil && answer == "" { // it was closed
		return false, unasked
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(cmd.ErrOrStderr(), no)
	return false, nil
}

// Asks reports whether standard input is a terminal, which can be asked.
func Asks() bool { return terminal.Is(os.Stdin) }

// Ask prints a question and returns the line of the answer, or an error once the command's context ends.
func Ask(cmd *cobra.Command, question string) (string, error) {
	fmt.Fprint(cmd.ErrOrStderr(), question)
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a terminal's read cannot be broken off: it ends with the program
		text, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case got := <-read:
		return got.text, got.err
	case <-cmd.Context().Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return "", cmd.Context().Err()
	}
}
