package process

// A pager: a program that shows a long text on the terminal, page by page.

import (
	"context"
	"errors"
	"os"
)

// Page lets a pager, a program with its arguments, show a text on a terminal until the user leaves it. The error
// reports that no pager was given or that it cannot be started, so that the text was not shown.
func Page(ctx context.Context, pager []string, text string, terminal *os.File) error {
	if len(pager) == 0 {
		return errors.New("no pager")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	go func() { // ends with the text, or with the pager, which may stop reading
		_, _ = w.WriteString(text)
		_ = w.Close()
	}()
	e := Exec{Words: pager, Environment: os.Environ(), Input: r, Output: terminal}
	if os.Getenv("LESS") == "" { // less shows bold, and ends by itself if all fits on the screen
		e.Environment = append(e.Environment, "LESS=FRX")
	}
	_, err = e.Run(ctx)
	_ = r.Close()
	return err
}
