package agent

import (
	"sync"

	"github.com/peregrine-sim/peregrine/internal/executable"
)

// images are the contents of the images of programs on a node, by the contents of the programs.
type images struct {
	mu    sync.Mutex
	known map[string]string
}

func (x *images) of(content string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.known[content]
}

// note records the image of a program with a content, and returns the image's content.
func (x *images) note(content string, image executable.Image) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil {
		x.known = map[string]string{}
	}
	x.known[content] = "file " + image.Sum
	return x.known[content]
}
