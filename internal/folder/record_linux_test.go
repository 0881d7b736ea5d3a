package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/folder/foldertest"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// use opens the file at a path in a way.
func use(f *os.File, err error) error {
	if err != nil {
		return err
	}
	_, err = f.WriteString("changed")
	return err
}

// ways are all ways to open a file of a study.
var ways = map[string]func(path string) error{
	"edit":   func(path string) error { return use(folder.Edit(path, 0)) },
	"append": func(path string) error { return use(folder.Edit(path, os.O_APPEND)) },
	"create": func(path string) error { return use(folder.Create(path)) },
	"write":  func(path string) error { return folder.Write(path, []byte("changed")) },
	"read": func(path string) error {
		_, err := folder.ReadFile(path, intake.Limit{What: "a note", Bytes: 1 << 20})
		return err
	},
}

// A plant at the name of a file is refused, or replaced by what is written in one step. One at the name of its folder
// is refused.
func TestPlantsLeadNowhere(t *testing.T) {
	for way, open := range ways {
		for _, plant := range foldertest.Plants {
			victim := foldertest.NewVictim(t)
			dir := t.TempDir()
			plant.At(t, filepath.Join(dir, "file"), victim)
			err := open(filepath.Join(dir, "file"))
			replaced := way == "write" && plant.Name != "a folder"
			same := way == "read" && plant.Name == "a hard link" // which the user could make of his own files alone
			if (err == nil) != (replaced || same) {
				t.Errorf("%s of %s: %v", way, plant.Name, err)
			}
			victim.Check(t, way+" of "+plant.Name)
			if plant.Name == "a folder" || way == "read" {
				continue
			}
			plant.At(t, filepath.Join(dir, "folder"), victim)
			if err := open(filepath.Join(dir, "folder", "file")); err == nil {
				t.Errorf("%s below %s", way, plant.Name)
			}
			victim.Check(t, way+" below "+plant.Name)
		}
	}
}

// Files are made and changed in the user's own folders, whatever they held.
func TestCreateAndEdit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := func(want string) {
		t.Helper()
		got := must.Value(folder.ReadFile(path, intake.Limit{What: "a note", Bytes: 1 << 20}))(t)
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	must.OK(t, ways["append"](path))
	must.OK(t, ways["append"](path))
	content("changedchanged")
	must.OK(t, ways["create"](path))
	content("changed")
	must.OK(t, os.WriteFile(path, []byte("long"), 0o600))
	must.OK(t, ways["edit"](path))
	content("changed")
}

// Folders and files of other users are not written, and a file that another user slipped in is not read.
func TestOthersFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		testenv.NotHere(t, "only root can give files away")
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	path := filepath.Join(inner, "file")
	must.OK(t, os.Mkdir(inner, 0o755))
	must.OK(t, os.WriteFile(path, []byte("theirs"), 0o644))
	for way, open := range ways {
		must.OK(t, os.Chown(path, 65534, -1))
		err := open(path)
		if way != "write" && (err == nil || !strings.Contains(err.Error(), "a file of another user")) {
			t.Errorf("%s of another's file: %v", way, err)
		}
	}
	must.OK(t, os.Chown(path, 65534, -1))
	must.OK(t, os.Chown(inner, 65534, -1))
	for way, open := range ways {
		err := open(path)
		switch {
		case way == "read" && err != nil:
			t.Errorf("a file of another's folder cannot be read: %v", err)
		case way != "read" && (err == nil || !strings.Contains(err.Error(), "a folder of another user")):
			t.Errorf("%s in another's folder: %v", way, err)
		}
	}
	if err := folder.MakeOwn(inner); err == nil {
		t.Error("another's folder was taken for one's own")
	}
}
