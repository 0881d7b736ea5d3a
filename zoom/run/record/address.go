package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// StudyAddress is the address of a study as a whole among its runs: STUDY/study.
const StudyAddress = "study"

// StudyFile holds the address of the process that works on a study.
const StudyFile = ".steering.json"

type studyAt struct {
	Address string     `json:"address"` // of a socket
	Cases   []string   `json:"cases,omitempty"`
	Host    process.ID `json:"host"`
}

// WriteStudyAddress records that this process works on the study in a folder. The process is reached by a socket under
// the study's certificates. cases lists the cases whose transients are in progress.
func WriteStudyAddress(folder, socket string, cases []string) error {
	return plugin.WriteFile(folder, StudyFile, studyAt{socket, cases, process.Self()})
}

// RemoveStudyAddress removes that record.
func RemoveStudyAddress(folder string) error {
	if err := os.Remove(filepath.Join(folder, StudyFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Transients lists the cases of the study in a folder whose transients go on.
func Transients(folder string) ([]string, error) {
	var at studyAt
	err := plugin.ReadFile(folder, StudyFile, &at)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !at.Host.Alive() {
		return nil, nil
	}
	return at.Cases, err
}

// AttachStudy connects to the process that works on a study, to steer the study as a whole (StudyAddress) or the
// transient of a case. The error is ErrNotRunning if no process does. Close the connection.
func AttachStudy(folder, name string) (*plugin.Client, *grpc.ClientConn, error) {
	var at studyAt
	if err := plugin.ReadFile(folder, StudyFile, &at); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, ErrNotRunning
		}
		return nil, nil, err
	}
	if !at.Host.Alive() || name != StudyAddress && !slices.Contains(at.Cases, name) {
		return nil, nil, ErrNotRunning
	}
	conn, err := hosting.Dial(at.Address, filepath.Join(folder, local.CertificateDir))
	if err != nil {
		return nil, nil, fmt.Errorf("study %s: %w", filepath.Base(folder), err)
	}
	return plugin.NewClient(conn), conn, nil
}
