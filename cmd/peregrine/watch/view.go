package watch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/trace"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	tracing "github.com/peregrine-sim/peregrine/watchdog/trace"
)

const (
	lastTime   = 2 * time.Second        // for the end of a study to be published
	lastMoment = 200 * time.Millisecond // for it to reach the browsers
)

// ViewFlags are the flags of a page that is served.
type ViewFlags struct {
	control           bool
	listen, cert, key string
	measured          []string
}

// Add declares the flags.
func (v *ViewFlags) Add(f *pflag.FlagSet) {
	f.BoolVar(&v.control, "control", false, "let the page steer the study: without it no request changes anything")
	v.addAddress(f)
}

func (v *ViewFlags) addAddress(f *pflag.FlagSet) {
	f.StringVar(&v.listen, "listen", "127.0.0.1:0",
		"`address` to serve the page at, HOST:PORT or unix:FILE; another host than this one needs --cert and --key")
	addMeasured(f, &v.measured)
	f.StringVar(&v.cert, "cert", "", "`file` of the certificate, PEM, to serve the page by https")
	f.StringVar(&v.key, "key", "", "`file` of the certificate's key, PEM")
}

// addMeasured declares --measured.
func addMeasured(f *pflag.FlagSet, files *[]string) {
	f.StringArrayVar(files, "measured", nil,
		"`file` with measured values, CSV, to lay over maps, profiles and strips; may be given again")
}

// readMeasured reads the files of --measured.
func readMeasured(files []string) (list []*web.Measured, err error) {
	for _, path := range files {
		text, err := intake.Read(path, intake.Limit{What: "a file of measured values", Bytes: 10 << 20})
		var m *web.Measured
		if err == nil {
			m, err = web.ReadMeasured(path, string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("--measured: %w", err)
		}
		list = append(list, m)
	}
	return list, nil
}

func newView() *cobra.Command {
	var flags ViewFlags
	cmd := &cobra.Command{
		Use: "view [STUDY|DIR]", Short: "Serve a page of a study to a browser, live", Args: cobra.MaximumNArgs(1),
		Long: `Serve a page of a study to a browser: its runs, maps, cases and warnings as they come. STUDY is a
study below --work, or the beginning of its name; DIR is a study's folder. Without either it is the latest study.

The command prints one line, the link that opens the page, and serves it until Ctrl-C. Only who has the link can read
the page. From another machine: ssh -L PORT:127.0.0.1:PORT HOST, then open the link there.`,
		Example: `  peregrine view
  peregrine view e3-20261122-1 --control`,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := viewed(cmd, args)
			if err != nil {
				return err
			}
			s, err := flags.Open(cmd, folder)
			if err != nil {
				return err
			}
			cmd.Println(s.Link)
			return s.Serve(cmd.Context())
		},
	}
	flags.Add(cmd.Flags())
	return cmd
}

// NewTraceView returns the verb `trace view`.
func NewTraceView() *cobra.Command {
	var flags ViewFlags
	var arranged trace.Arrangement
	cmd := &cobra.Command{
		Use: "view FILE|DIR|STUDY", Short: "Serve a page of a trace to a browser: play it, and look at its pictures",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := newTrace(cmd, args[0])
			t.Arrange = arranged.Apply
			if err := t.Load(); err != nil {
				return err
			}
			s, err := flags.open(cmd, args[0], t)
			if err != nil {
				return err
			}
			cmd.Println(s.Link)
			return s.server.Serve(cmd.Context(), s.listener)
		},
	}
	flags.addAddress(cmd.Flags())
	arranged.Add(cmd.Flags())
	return cmd
}

// newTrace returns a trace for the page, which is read when it is looked at.
func newTrace(cmd *cobra.Command, path string) *web.Trace {
	return &web.Trace{Clock: cli.Clock(cmd), Read: func() ([]tracing.Record, []tracing.Problem, error) {
		return trace.Read(cmd, path)
	}}
}

// viewed returns the folder of the study that the arguments name, or of the latest.
func viewed(cmd *cobra.Command, args []string) (string, error) {
	if len(args) > 0 {
		folder, err := runs.StudyFolder(cmd, args[0])
		if err == nil && folder == "" {
			err = fmt.Errorf("%s is no study; `peregrine studies list` lists the studies, `peregrine report %s` "+
				"writes a page about a solver's files", args[0], args[0])
		}
		return folder, err
	}
	names, settings, err := runs.Studies(cmd)
	if err != nil {
		return "", err
	}
	latest, found := "", os.FileInfo(nil)
	for _, name := range names {
		folder := filepath.Join(settings.Work, name)
		if info, err := os.Stat(filepath.Join(folder, studylog.FileName)); err == nil &&
			(found == nil || info.ModTime().After(found.ModTime())) {
			latest, found = folder, info
		}
	}
	if latest == "" {
		return "", fmt.Errorf("there is no study in %s; `peregrine run ENGINE.yaml --view` begins one with its page",
			settings.Work)
	}
	return latest, nil
}

// View is a page that can be served.
type View struct {
	Link string

	server   *web.Server
	listener net.Listener
}

// Open listens at the address of the flags for the page of a study.
func (v *ViewFlags) Open(cmd *cobra.Command, folder string) (*View, error) {
	if err := event.CheckFormat(filepath.Join(folder, studylog.FileName)); err != nil {
		return nil, err
	}
	t := newTrace(cmd, folder)
	t.Live = func() bool { return studylog.Busy(folder) }
	return v.open(cmd, folder, t)
}

// open listens for the page of a study, or of a trace alone.
func (v *ViewFlags) open(cmd *cobra.Command, folder string, t *web.Trace) (*View, error) {
	laid, err := readMeasured(v.measured)
	if err != nil {
		return nil, err
	}
	l, err := v.address()
	if err != nil {
		return nil, err
	}
	at := l.Addr()
	l, names, err := v.private(l)
	if err != nil {
		return nil, err
	}
	clk := cli.Clock(cmd)
	s := &web.Server{Secure: v.cert != "", Trace: t,
		Feed: web.NewFeed(folder, clk, func(text string) { cli.Warn(cmd, "%s", text) }),
		Where: func(ctx context.Context, condition string) ([]string, error) {
			return runs.OfStudy(ctx, cmd, folder, condition)
		}}
	s.Names = names
	s.Feed.Lay(laid...)
	if v.control {
		work, study := filepath.Split(folder)
		s.Control = &web.Control{Study: study, Client: cli.Steering(cmd, filepath.Clean(work), "peregrine view")}
	}
	return &View{Link: s.Open(at), server: s, listener: l}, nil
}

// address listens at the address of --listen, if it is allowed.
func (v *ViewFlags) address() (net.Listener, error) {
	if (v.cert == "") != (v.key == "") {
		return nil, errors.New("--cert and --key need each other")
	}
	if path, ok := strings.CutPrefix(v.listen, "unix:"); ok {
		l, err := net.Listen("unix", path)
		if err != nil && abandoned(path) {
			err = os.Remove(path)
			if err == nil {
				l, err = net.Listen("unix", path)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--listen %s: %w", v.listen, err)
		}
		return l, errors.Join(os.Chmod(path, 0o600))
	}
	host, _, err := net.SplitHostPort(v.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT or unix:FILE, as 127.0.0.1:8080", v.listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && v.cert == "" {
		return nil, fmt.Errorf("--listen %s: other machines may reach it, so it needs --cert and --key; by ssh -L it "+
			"does not", v.listen)
	}
	l, err := net.Listen("tcp", v.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", v.listen, err)
	}
	return l, nil
}

// abandoned reports whether a file is a socket of the user at which no process listens: its server was killed.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket || !process.OwnedByUser(info) {
		return false
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close()
	}
	return process.Refused(err)
}

// private wraps a listener in TLS, with the certificate of the flags. It returns the names by which browsers reach the
// server: that of --listen, and those of the certificate.
func (v *ViewFlags) private(l net.Listener) (net.Listener, []string, error) {
	var names []string
	if host, _, err := net.SplitHostPort(v.listen); err == nil && host != "" && !net.ParseIP(host).IsUnspecified() {
		names = append(names, host)
	}
	if v.cert == "" {
		return l, names, nil
	}
	pair, err := tls.LoadX509KeyPair(v.cert, v.key)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--cert %s --key %s: %w", v.cert, v.key, err), l.Close())
	}
	names = append(names, pair.Leaf.DNSNames...)
	for _, ip := range pair.Leaf.IPAddresses {
		names = append(names, ip.String())
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return tls.NewListener(l, c), names, nil
}

// Begin serves the page of a study beside the work of a command, and prints its link as a note. Call end at the end.
func (v *ViewFlags) Begin(cmd *cobra.Command, folder string) (end func(), err error) {
	s, err := v.Open(cmd, folder)
	if err != nil {
		return nil, err
	}
	cmd.PrintErrln(s.Link)
	ctx, cancel := context.WithCancel(cmd.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	return func() {
		late := cli.Clock(cmd).NewTimer(lastTime)
		select { // the page gets the end, and a moment to show it
		case <-s.server.Feed.Ended():
			_ = clock.Sleep(ctx, cli.Clock(cmd), lastMoment)
		case <-ctx.Done():
		case <-late.C:
		}
		late.Stop()
		cancel()
		if err := <-served; err != nil {
			cli.Warn(cmd, "the page: %v", err)
		}
	}, nil
}

// Serve serves the page until ctx ends.
func (v *View) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fed := make(chan error, 1)
	go func() {
		err := v.server.Feed.Run(ctx)
		if err != nil {
			cancel()
		}
		fed <- err
	}()
	err := v.server.Serve(ctx, v.listener)
	cancel()
	return errors.Join(err, <-fed)
}
