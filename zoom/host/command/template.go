package command

// Commands with {placeholders}, and their values.

import (
	"fmt"
	"maps"
	"math"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// template is a program and its arguments. Package config/hosts has checked their placeholders.
type template struct {
	what  string
	words []string
}

// fill replaces placeholders by their values. A placeholder without a value is an error: the engine's default cannot be
// inserted.
func (t template) fill(values map[string]string) (words []string, err error) {
	for _, word := range t.words {
		words = append(words, hosts.PlaceholderShape().ReplaceAllStringFunc(word, func(found string) string {
			value, has := values[strings.Trim(found, "{}")]
			if !has && err == nil {
				err = fmt.Errorf("%s has %s, of which the launcher says nothing: add it there, or take %s out of %s",
					t.what, found, found, t.what)
			}
			return value
		}))
	}
	return words, err
}

func userValues() map[string]string {
	values := map[string]string{}
	if u, err := user.Current(); err == nil {
		values["user"] = u.Username
	}
	return values
}

func blockValues(name, id string) map[string]string {
	values := userValues()
	values["name"], values["id"] = name, id
	return values
}

// requestValues returns the values of a block. Memory is in units of 1024, as in batch systems.
func requestValues(r provider.Request, name, script string) map[string]string {
	values := userValues()
	values["script"], values["name"], values["study"], values["folder"] = script, name, r.Study, r.Folder
	values["nodes"] = strconv.Itoa(r.Nodes)
	if r.Cores > 0 {
		values["cores"] = strconv.Itoa(r.Cores)
	}
	if r.Memory > 0 {
		values["memory_MB"] = strconv.FormatInt(max(r.Memory>>20, 1), 10)
		values["memory_GB"] = strconv.FormatInt(max(r.Memory>>30, 1), 10)
	}
	if r.Time > 0 {
		seconds := int(math.Ceil(r.Time.Seconds()))
		values["seconds"] = strconv.Itoa(seconds)
		values["minutes"] = strconv.Itoa((seconds + 59) / 60)
		values["time"] = fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	var licences []string
	for _, name := range slices.Sorted(maps.Keys(r.Licences)) {
		licences = append(licences, fmt.Sprintf("%s=%d", name, r.Licences[name]))
	}
	if licences != nil {
		values["licences"] = strings.Join(licences, ",")
	}
	return values
}

// script returns the file that a block starts.
func script(r provider.Request, name string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# A block of nodes for runs of Peregrine: becomes the command that each of them " +
		"starts.\n")
	fmt.Fprintf(&b, "%s=%s\nexport %s\n", provider.EnvBlock, name, provider.EnvBlock)
	if r.Time > 0 {
		fmt.Fprintf(&b, "%s=$(($(date +%%s) + %d))\nexport %s\n", provider.EnvEnds, int(r.Time/time.Second),
			provider.EnvEnds)
	}
	if r.There != "" {
		fmt.Fprintf(&b, "%s=%s\nexport %s\n", provider.EnvFolder, batchqueue.Quote(r.There), provider.EnvFolder)
	}
	b.WriteString("exec")
	for _, word := range r.Command {
		b.WriteString(" " + batchqueue.Quote(word))
	}
	b.WriteString("\n")
	return b.String()
}
