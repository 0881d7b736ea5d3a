package ssh_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/providertest"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
)

// hasty is a clock by which waits between tries are short; limits are, where they are to be met.
type hasty struct {
	providertest.Quick
	limits time.Duration // so many times shorter
}

const haste = 20

func (h hasty) NewTimer(d time.Duration) *clock.Timer  { return clock.Real.NewTimer(d / haste) }
func (h hasty) NewTicker(d time.Duration) *clock.Timer { return clock.Real.NewTicker(d / haste) }
func (h hasty) AfterFunc(d time.Duration, f func()) *clock.Timer {
	return clock.Real.AfterFunc(d/h.limits, f)
}

func shell(before string) string {
	return `ForceCommand ` + before + `exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`
}

// study is one for each test: the hosts of all are this machine.
func study(t testing.TB) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(t.Name())))[:20] }

func request(t testing.TB, command ...string) provider.Request {
	t.Helper()
	return provider.Request{Study: study(t), Nodes: 1, Command: command, Folder: t.TempDir()}
}

// await waits until a block is in a phase, and returns what is known of it then.
func await(t testing.TB, p provider.Provider, id string, want ...provider.Phase) (s provider.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		states := must.Value(p.List(ctx, study(t)))(t)
		i := slices.IndexFunc(states, func(s provider.State) bool { return s.ID == id })
		if i >= 0 && slices.Contains(want, states[i].Phase) {
			return states[i]
		}
		if clock.Sleep(ctx, clock.Real, 20*time.Millisecond) != nil {
			t.Fatalf("block %s is never %s: %+v", id, want, states)
		}
	}
}

// A host that cannot be used is a clear error that says what came of it, within bounds of time and size, whatever its
// login shell does.
func TestHostsThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		lines  []string            // of the daemon
		do     func(*sshtest.Site) // before
		change func(*hosts.Launcher)
		want   string // of the error
	}{
		{name: "unknown key", do: (*sshtest.Site).Forget, want: "ssh does not know its key: run `ssh h1` once by hand"},
		{name: "changed key", do: func(s *sshtest.Site) { s.Confuse("h1") }, want: "its key is another than ssh knows"},
		{name: "no entry", do: (*sshtest.Site).Refuse, want: "`ssh -o BatchMode=yes h1 true` must work"},
		{name: "no daemon", do: func(s *sshtest.Site) { s.Down("h1") }, want: "Connection refused"},
		{
			name: "no such name", change: func(l *hosts.Launcher) {
				l.Options = append(l.Options, "-o", "HostName=nowhere.invalid")
			}, want: "Could not resolve hostname",
		},
		{name: "wrong option", change: func(l *hosts.Launcher) { l.Options = append(l.Options, "-o", "Nonsense=yes") },
			want: "Bad configuration option: nonsense"},
		{name: "silence", lines: []string{"ForceCommand exec sleep 600"}, want: "no answer within 30s"},
		{name: "silence after a word", lines: []string{"ForceCommand echo One moment; exec sleep 600"},
			want: `no answer within 30s: on standard output came "One moment"`},
		{
			name: "shell without end", lines: []string{"ForceCommand exec yes"},
			want: `65536 bytes and no answer among them: on standard output came "y\ny`,
		},
		{name: "many errors", lines: []string{"ForceCommand yes | head -c 20000000 >&2; exec sleep 600"},
			want: "no answer within 30s: y; y;"},
		{name: "noise", lines: []string{`ForceCommand printf '\001\377peregrine-'`},
			want: `ssh ended (exit status 0): on standard output came "\x01\xffperegrine-"`},
		{name: "no shell", lines: []string{"ForceCommand exec /nowhere/sh"}, want: "ssh ended (exit status 127): "},
		{name: "its status", lines: []string{"ForceCommand echo This account is closed; exit 3"},
			want: `ssh ended (exit status 3): on standard output came "This account is closed"`},
		{
			name: "no home", lines: []string{"SetEnv HOME=/dev/null"},
			want: "host h1: peregrine cannot be brought there: ssh ended (exit status 10): ",
		},
		{name: "home unset", lines: []string{shell("unset HOME; ")}, want: "HOME: parameter not set"},
		{name: "full disk", lines: []string{shell("export PATH=\"$DIR/bin:$PATH\"; ")},
			do: tool("gzip", `[ "$1" = --version ] || exec /bin/gzip -dc >/dev/full`), want: "No space left on device"},
		{name: "cut short", lines: []string{shell("export PATH=\"$DIR/bin:$PATH\"; ")},
			do: tool("gzip", `[ "$1" = --version ] || /bin/gzip -dc | head -c 1000`), want: "only 1000 bytes have come"},
		{name: "cut short without gzip", lines: []string{shell("export PATH=\"$DIR/bin:$PATH\"; ")},
			do: func(s *sshtest.Site) {
				tool("gzip", "exit 127")(s)
				tool("cat", "exec head -c 1000")(s)
			}, want: "only 1000 bytes have come"},
		{name: "another machine", lines: []string{shell("export PATH=\"$DIR/bin:$PATH\"; ")},
			do:   tool("uname", "echo SunOS"),
			want: "it is SunOS SunOS, for which this program (linux/amd64) is not: say with `program`"},
		{name: "no programs there", lines: []string{shell("export PATH=\"$DIR/bin:$PATH\"; ")},
			do: tool("chmod", "exec /bin/chmod 600 \"$2\""), want: "may be cleared, or allow no programs"},
		{name: "no such program", change: func(l *hosts.Launcher) { l.Program = "/nowhere/peregrine" },
			want: "/nowhere/peregrine: not found"},
		{name: "not our program", change: func(l *hosts.Launcher) { l.Program = "/bin/echo" },
			want: "ssh ended (exit status 0): on standard output came"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			switch {
			case strings.HasPrefix(c.want, "no answer within"):
				testenv.Long(t, "waits for an answer")
			case c.lines == nil && c.name != "no daemon" && c.name != "no such program" && c.name != "not our program":
				testenv.Long(t, "is about ssh itself")
			}
			s := sshtest.Start(t, 1, c.lines...)
			if c.do != nil {
				c.do(s)
			}
			l := launcher(s)
			if c.change != nil {
				c.change(l)
			}
			limits := time.Duration(1)
			if strings.HasPrefix(c.want, "no answer within") {
				limits = 6
			}
			// the program never runs there: a small one is brought in little time
			p := ssh.New(l, []string{"/bin/sh"}, hasty{providertest.NewQuick(), limits})
			defer func() { _ = p.Close() }()
			r := request(t, "sleep", "600")
			ids := must.Value(p.Submit(t.Context(), r, 1))(t)
			state := await(t, p, ids[0], provider.Ended)
			if !strings.Contains(state.Reason, c.want) || len(state.Reason) > 4000 {
				t.Errorf("the block ended: %.4000s\nwant %s", state.Reason, c.want)
			}
			if _, err := p.Submit(t.Context(), r, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the host is used again at once, or nobody hears why not: %v", err)
			}
			noError(t, p.Cancel(t.Context(), ids[0]))
			written, err := filepath.Glob(filepath.Join(r.Folder, "*"))
			if info, serr := os.Stat(written[0]); err != nil || serr != nil || info.Size() > 4<<20 {
				t.Errorf("of what it printed %d bytes are kept (%v, %v)", info.Size(), err, serr)
			}
			left, _ := filepath.Glob(filepath.Join(s.Home("h1"), ".cache/peregrine/bin/.*"))
			if len(left) > 0 {
				t.Errorf("left in the cache: %q", left)
			}
		})
	}
}

// tool puts a script in the place of a tool of the system.
func tool(name, text string) func(*sshtest.Site) {
	return func(s *sshtest.Site) { s.Tool(name, "#!/bin/sh\n"+text+"\n") }
}

// A block begins whatever a host's login shell prints before, and whatever the daemon shows; the others go on while
// one fails.
func TestShellsThatPrint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []string
	}{
		{"banner", []string{"Banner /etc/passwd"}},
		{"line", []string{shell("echo Welcome; ")}},
		{"word", []string{shell("printf 'no end of line'; ")}},
		{"much", []string{shell("head -c 60000 /dev/zero; ")}},
		{"errors", []string{shell("cat /etc/passwd >&2; ")}},
		{"csh", []string{`ForceCommand exec /bin/csh -c "$SSH_ORIGINAL_COMMAND"`}},
		{"fish", []string{`ForceCommand exec /usr/bin/fish -c "$SSH_ORIGINAL_COMMAND"`}},
		{"zsh", []string{`ForceCommand exec /bin/zsh -c "$SSH_ORIGINAL_COMMAND"`}},
		{"bash", []string{`ForceCommand exec bash -c "$SSH_ORIGINAL_COMMAND"`}},
		{"sh is bash", []string{`ForceCommand exec bash`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if at := map[string]string{
				"csh": "/bin/csh", "fish": "/usr/bin/fish", "zsh": "/bin/zsh",
			}[c.name]; at != "" {
				testenv.Program(t, "tcsh fish zsh", at)
			}
			if c.name == "banner" {
				testenv.Long(t, "is about ssh itself")
			}
			s := sshtest.Start(t, 1, c.lines...)
			l := installed(t, s)
			if c.name == "line" || c.name == "csh" { // it is brought in the same way through each shell
				l.Program = ""
			}
			l.Hosts = append([]hosts.Host{{Name: "h0.invalid"}}, l.Hosts...)
			p := open(t, l, hasty{providertest.NewQuick(), 1})
			defer func() { _ = p.Close() }()
			r := request(t, "sleep", "600")
			r.Folder = filepath.Join(t.TempDir(), "with 'quotes' and\nlines")
			must.OK(t, os.Mkdir(r.Folder, 0o700))
			ids, err := p.Submit(t.Context(), r, 2)
			if err != nil || len(ids) != 2 {
				t.Fatal(ids, err)
			}
			await(t, p, ids[1], provider.Running)
			await(t, p, ids[0], provider.Ended)
			noError(t, p.Cancel(t.Context(), ids[1]))
			await(t, p, ids[1], provider.Ended)
		})
	}
}
