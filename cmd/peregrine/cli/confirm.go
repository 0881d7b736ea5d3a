package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Confirm asks a question on the terminal; no is the consequence of a negative answer. Without a terminal it returns an
// error, because neither answer can be assumed.
func Confirm(cmd *cobra.Command, question, no string) (bool, error) {
	unasked := fmt.Errorf("%s: no terminal to ask on; give --yes", question)
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false, unasked
	}
	answer, err := ask(cmd.Context(), cmd.InOrStdin(), cmd.ErrOrStderr(), question)
	if cmd.Context().Err() != nil {
		return false, cmd.Context().Err()
	}
	if err != nil && answer == "" { // a character device, but no terminal: /dev/null
		return false, unasked
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	fmt.Fprintln(cmd.ErrOrStderr(), no)
	return false, nil
}

// ask asks a question and returns the line of the answer, or an error once ctx ends.
func ask(ctx context.Context, from io.Reader, to io.Writer, question string) (string, error) {
	fmt.Fprintf(to, "%s? [y/N] ", question)
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a terminal's read cannot be broken off: it ends with the program
		text, err := bufio.NewReader(from).ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case got := <-read:
		return got.text, got.err
	case <-ctx.Done():
		fmt.Fprintln(to)
		return "", ctx.Err()
	}
}
