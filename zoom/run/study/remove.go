package study

// Removal of a study: of what studies make, and of nothing else that lies in its folder.

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// TransientPrefix begins the names of the records of steered transients in a study's folder.
const TransientPrefix = "steered-"

// Remove removes a study from its folder, unless a process works on it, and the folder if the study made all of it. It
// reports whether it did, and the names of what it left. A folder that is a link is an error, and not emptied.
func Remove(folder string) (removed bool, left []string, err error) {
	return studylog.Remove(folder, func(e fs.DirEntry) bool { return made(folder, e) })
}

// madeNames are the names of what studies make in their folders, beside runs.
var madeNames = append(nodes.Remains(), studylog.FileName, studylog.ResultsName,
	studylog.NotesName, studylog.NotesLock, local.CertificateDir,
	record.StudyFile, record.PendingFile, record.TextsDir, branch.File, standInFile)

// made reports whether a study has made an entry of its folder. A run folder without any file was about to be used.
func made(study string, e fs.DirEntry) bool {
	name := e.Name()
	switch {
	case slices.Contains(madeNames, name), strings.HasPrefix(name, atomic.Prefix), certificate.Making(name):
		return true
	case !e.IsDir():
		return (strings.HasPrefix(name, TransientPrefix) || strings.HasPrefix(name, studylog.MapPrefix)) &&
			strings.HasSuffix(name, ".json")
	}
	t, err := private.OpenOwn(filepath.Join(study, name))
	if err != nil {
		return false
	}
	defer func() { _ = t.Close() }() // it has no data
	entries, err := t.ReadDir(filepath.Join(study, name))
	return err == nil && (len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{plugin.EventsFile, plugin.RequestFile, plugin.ResultFile}, e.Name())
	}))
}
