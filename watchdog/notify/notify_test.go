package notify

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func notice(severity, text string) Notice {
	return Notice{Severity: severity, File: "case/log", Time: begin, State: "diverging", Iteration: 7, Text: text}
}

// faults collects warnings.
type faults struct {
	mu   sync.Mutex
	list []string
}

func (f *faults) warn(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, text)
}

func (f *faults) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.list, "\n")
}

// next returns the next message of a server while time passes in steps.
func next(t *testing.T, at *clock.Manual, step time.Duration, got <-chan Message) Message {
	t.Helper()
	for {
		select {
		case m := <-got:
			return m
		case <-time.After(time.Millisecond):
			at.Advance(step)
		case <-t.Context().Done():
			t.Fatal("no message")
		}
	}
}

// hook is a webhook that answers with statuses, the last again and again, and passes on what it took.
func hook(t *testing.T, statuses ...int) (url string, got chan Message, headers chan http.Header) {
	t.Helper()
	got, headers = make(chan Message, 100), make(chan http.Header, 100)
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		status := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		mu.Unlock()
		var m Message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		headers <- r.Header
		if status < 300 {
			got <- m
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, got, headers
}

// A server that fails gets a message later; notices of some seconds are one message; the secret is sent and not told.
func TestWebhook(t *testing.T) {
	t.Setenv("HOOK_SECRET", "do not tell")
	url, got, headers := hook(t, 500, 503, 200)
	var f faults
	at := clock.NewManual(begin)
	n := New([]notification.Channel{{Name: "phone", Webhook: url, Severity: "warning", Secret: "HOOK_SECRET",
		Wait: 10 * time.Second, Hourly: 20}}, t.TempDir(), at, f.warn)
	n.Note(notice("info", "it is well"))
	n.Note(notice("warning", "a sign"))
	n.Note(notice("error", "the end"))
	m := next(t, at, time.Second, got)
	if m.Summary != "the end (and 1 more)" || m.Severity != "error" || len(m.Notices) != 2 ||
		m.Notices[0].Iteration != 7 {
		t.Errorf("%+v", m)
	}
	if h := <-headers; h.Get("Authorization") != "Bearer do not tell" {
		t.Errorf("%v", h)
	}
	n.Close()
	if text := f.text(); !strings.Contains(text, "answers 500") || strings.Contains(text, "do not tell") ||
		strings.Count(text, "answers 500") != 1 {
		t.Error(text)
	}
}

// A redirect is not followed: only the given address gets a message.
func TestRedirectIsRefused(t *testing.T) {
	t.Parallel()
	url, got, headers := hook(t, 302)
	err := deliver(t.Context(), &notification.Channel{Webhook: url}, &Message{Time: begin})
	var never refusal
	if !errors.As(err, &never) || !strings.Contains(err.Error(), "302") || len(got) != 0 || len(headers) != 1 {
		t.Errorf("%v, %d requests", err, len(headers))
	}
}

// What cannot be sent waits on disk for the next watch, also where others come meanwhile.
func TestMessagesWaitOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	listener := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	go func() { // its port stays taken, and nobody answers
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close()
		}
	}()
	gone := "http://" + listener.Addr().String()
	var f faults
	at := clock.NewManual(begin)
	channel := notification.Channel{Name: "phone", Webhook: gone, Severity: "info", Wait: 0, Hourly: 20}
	n := New([]notification.Channel{channel}, dir, at, f.warn)
	n.Note(notice("error", "the end"))
	n.Close()
	if files := must.Value(filepath.Glob(filepath.Join(dir, "phone", "left-*")))(t); len(files) != 1 ||
		!strings.Contains(f.text(), "left in "+dir) {
		t.Fatalf("%q, %s", files, f.text())
	}
	url, got, _ := hook(t, 200)
	channel.Webhook = url
	n = New([]notification.Channel{channel}, dir, at, f.warn)
	if m := next(t, at, time.Second, got); m.Summary != "the end" {
		t.Errorf("%+v", m)
	}
	n.Close()
	if files := must.Value(os.ReadDir(filepath.Join(dir, "phone")))(t); len(files) > 0 {
		t.Errorf("%v", files)
	}
}

// A full disk costs the queue, not the message.
func TestQueueWithoutDisk(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must.OK(t, os.WriteFile(file, nil, 0o600))
	url, got, _ := hook(t, 200)
	var f faults
	at := clock.NewManual(begin)
	n := New([]notification.Channel{{Name: "phone", Webhook: url, Severity: "info", Hourly: 20}}, file, at, f.warn)
	n.Note(notice("error", "the end"))
	if m := next(t, at, time.Second, got); m.Summary != "the end" {
		t.Errorf("%+v", m)
	}
	n.Close()
	if !strings.Contains(f.text(), "in memory only") {
		t.Error(f.text())
	}
}

// Beyond the messages of an hour, notices wait and are one message.
func TestHourlyLimit(t *testing.T) {
	t.Parallel()
	url, got, _ := hook(t, 200)
	var f faults
	at := clock.NewManual(begin)
	n := New([]notification.Channel{{Name: "phone", Webhook: url, Severity: "info", Hourly: 1}}, "", at, f.warn)
	n.Note(notice("info", "first"))
	m := next(t, at, time.Second, got)
	if m.Summary != "first" {
		t.Errorf("%+v", m)
	}
	first := m.Time
	for i := range 300 {
		n.Note(notice("info", fmt.Sprint("number ", i)))
	}
	m = next(t, at, time.Minute, got)
	if len(m.Notices) != mostNotices || m.More != 100 || m.Time.Sub(first) < time.Hour {
		t.Errorf("%d notices and %d after %v", len(m.Notices), m.More, m.Time.Sub(first))
	}
	n.Close()
}

// newChannel returns a channel whose steps a test makes.
func newChannel(url, dir string, hourly int, at *clock.Manual) *channel {
	return &channel{Channel: notification.Channel{Name: "phone", Webhook: url, Hourly: hourly}, dir: dir, clock: at,
		warn: func(string) {}, more: make(chan struct{}, 1)}
}

// The messages that an outage has left are sent within the limit of an hour too, and meanwhile no others are made.
func TestHourlyLimitAfterOutage(t *testing.T) {
	t.Parallel()
	url, got, _ := hook(t, 200)
	at := clock.NewManual(begin)
	c := newChannel(url, "", 2, at)
	for range 5 {
		c.keep(*newMessage([]Notice{notice("error", "old")}, 0, begin))
	}
	c.note(notice("error", "new"))
	for _, want := range []int{2, 4, 6} {
		c.step(t.Context(), false)
		at.Advance(time.Hour - time.Second)
		c.step(t.Context(), false)
		if len(got) != want {
			t.Errorf("%d messages are sent, not %d", len(got), want)
		}
		at.Advance(time.Second)
	}
	if len(c.queue) > 0 || len(c.pending) > 0 {
		t.Errorf("%d messages and %d notices wait", len(c.queue), len(c.pending))
	}
}

// A bad end is told, however many warnings wait before it.
func TestErrorsDisplaceWarnings(t *testing.T) {
	t.Parallel()
	url, got, _ := hook(t, 200)
	c := newChannel(url, "", 20, clock.NewManual(begin))
	for range mostNotices {
		c.note(notice("warning", "a sign"))
	}
	c.note(notice("error", "the end"))
	c.step(t.Context(), false)
	if m := <-got; m.Severity != "error" || len(m.Notices) != mostNotices || m.More != 1 ||
		m.Notices[mostNotices-1].Text != "the end" {
		t.Errorf("%s of %d notices and %d", m.Summary, len(m.Notices), m.More)
	}
}

// A message belongs to the Notifier that tries to send it, for however long, and then to one of those that come.
func TestMessagesHaveOneOwner(t *testing.T) {
	t.Parallel()
	url, _, _ := hook(t, 500)
	dir, at := t.TempDir(), clock.NewManual(begin)
	owner := newChannel(url, dir, 20, at)
	owner.note(notice("error", "the end"))
	owner.step(t.Context(), false)
	must.OK(t, os.Chtimes(owner.queue[0].path, begin, begin))
	for at.Now().Sub(begin) < 2*stale {
		at.Advance(owner.step(t.Context(), false))
	}
	heirs := func() (took int) {
		var loads sync.WaitGroup
		list := make([]*channel, 8)
		for i := range list {
			list[i] = newChannel(url, dir, 20, at)
			loads.Go(list[i].load)
		}
		loads.Wait()
		for _, c := range list {
			took += len(c.queue)
		}
		return took
	}
	if took := heirs(); took != 0 {
		t.Errorf("%d others have it while its owner lives", took)
	}
	at.Advance(stale)
	if took := heirs(); took != 1 {
		t.Errorf("%d have it after its owner", took)
	}
}

// Faults name the server and not the path of a webhook, which may be a secret.
func TestAddressesAreNotTold(t *testing.T) {
	t.Parallel()
	failing, _, _ := hook(t, 500)
	for _, address := range []string{failing, "http://127.0.0.1:0", "http://[::1"} {
		err := deliver(t.Context(), &notification.Channel{Webhook: address + "/do-not-tell"}, &Message{Time: begin})
		if err == nil || strings.Contains(err.Error(), "tell") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server that hangs ends an attempt, not the watch.
func TestServersThatHang(t *testing.T) {
	t.Parallel()
	listener := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t) // it accepts, and says nothing
	defer func() { _ = listener.Close() }()
	address := listener.Addr().String()
	for _, c := range []notification.Channel{
		{Webhook: "http://" + address},
		{Mail: notification.Mail{Server: address, From: "a@example", To: []string{"b@example"}}},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errSilent)
		err := deliver(ctx, &c, &Message{Time: begin})
		cancel()
		if !errors.Is(err, errSilent) {
			t.Errorf("%v", err)
		}
	}
}

// mailServer speaks SMTP with one client, and returns what it took. It refuses a receiver. With secure it takes mail
// only behind TLS and a login: from the beginning if implicit, else behind STARTTLS.
func mailServer(t *testing.T, refused string, secure *tls.Config, implicit bool) (address string, took chan string) {
	t.Helper()
	listener := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	took = make(chan string, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		if implicit {
			c = tls.Server(c, secure)
		}
		say := func(text string) { _, _ = fmt.Fprintf(c, "%s\r\n", text) }
		say("220 here")
		var all strings.Builder
		data, login := false, secure == nil
		for in := bufio.NewScanner(c); in.Scan(); {
			line := in.Text()
			fmt.Fprintln(&all, line)
			switch verb, _, _ := strings.Cut(line, " "); {
			case data && line != ".":
			case data:
				data = false
				say("250 taken")
				took <- all.String()
			case verb == "DATA":
				data = true
				say("354 go on")
			case verb == "RCPT" && strings.Contains(line, refused):
				say("550 nobody")
			case verb == "EHLO" && implicit:
				say("250-here\r\n250 AUTH PLAIN")
			case verb == "EHLO" && secure != nil:
				say("250-here\r\n250-AUTH PLAIN\r\n250 STARTTLS")
			case verb == "STARTTLS":
				say("220 go on")
				c = tls.Server(c, secure)
				in = bufio.NewScanner(c)
			case verb == "AUTH":
				_, encrypted := c.(*tls.Conn)
				login = encrypted && strings.HasSuffix(line, base64.StdEncoding.EncodeToString([]byte("\x00me\x00s3")))
				say(map[bool]string{true: "235 well", false: "535 no"}[login])
			case verb == "MAIL" && !login:
				say("530 log in")
			case verb == "QUIT":
				say("221 bye")
				return
			default:
				say("250 well")
			}
		}
	}()
	return listener.Addr().String(), took
}

func TestMail(t *testing.T) {
	t.Parallel()
	address, took := mailServer(t, "nobody@", nil, false)
	c := notification.Channel{Mail: notification.Mail{Server: address, From: "a@example",
		To: []string{"b@example", "c@example"}}}
	m := newMessage([]Notice{notice("error", "case/log: 7: diverged: η is lost")}, 0, begin)
	must.OK(t, deliver(t.Context(), &c, m))
	text := <-took
	for _, want := range []string{"MAIL FROM:<a@example>", "RCPT TO:<c@example>", "Subject: =?utf-8?q?", "η is lost"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	address, _ = mailServer(t, "nobody@", nil, false)
	c.Mail.Server, c.Mail.To = address, []string{"nobody@example"}
	var never refusal
	if err := deliver(t.Context(), &c, m); !errors.As(err, &never) || !strings.Contains(err.Error(), "550") {
		t.Errorf("%v", err)
	}
}

// A server with a certificate of its own is trusted by its authority alone, and gets the login behind TLS.
func TestTrust(t *testing.T) {
	got := make(chan [2]string, 1) // body and its kind
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- [2]string{string(body), r.Header.Get("Content-Type")}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	own := filepath.Join(t.TempDir(), "own.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	must.OK(t, os.WriteFile(own, certificate, 0o644))
	t.Setenv("MAIL_SECRET", "s3")
	m := newMessage([]Notice{notice("error", `the "end"`)}, 0, begin)
	mail := func(secret, scheme string) error {
		address, _ := mailServer(t, "nobody@", s.TLS, scheme != "")
		return deliver(t.Context(), &notification.Channel{Authority: own, Secret: secret, Mail: notification.Mail{
			Server: scheme + address, From: "a@example", To: []string{"b@example"}, User: "me"}}, m)
	}
	hook := notification.Channel{Webhook: s.URL, Template: `{"text": {{json .Summary}}}`}
	stranger := deliver(t.Context(), &hook, m)
	if fault := (*tls.CertificateVerificationError)(nil); !errors.As(stranger, &fault) {
		t.Errorf("a stranger: %v", stranger)
	}
	hook.Authority = own
	must.OK(t, deliver(t.Context(), &hook, m))
	must.Equal(t, [2]string{`{"text": "the \"end\""}`, "application/json"}, <-got)
	hook.Template = "{{.Severity}}: {{range .Notices}}{{.File}} at {{.Iteration}}{{end}}"
	must.OK(t, deliver(t.Context(), &hook, m))
	must.Equal(t, [2]string{"error: case/log at 7", "text/plain; charset=utf-8"}, <-got)
	must.OK(t, mail("MAIL_SECRET", ""))
	must.OK(t, mail("MAIL_SECRET", "smtps://"))
	t.Setenv("WRONG_SECRET", "s4")
	for _, scheme := range []string{"", "smtps://"} {
		if err := mail("WRONG_SECRET", scheme); err == nil || !strings.Contains(err.Error(), "535") {
			t.Errorf("%s with a wrong secret: %v", scheme, err)
		}
	}
}

// A message is sent again until it is seen; while channels are silent, notices wait, also beyond the watch.
func TestSilentAndSeen(t *testing.T) {
	t.Parallel()
	url, got, _ := hook(t, 200)
	dir, at := t.TempDir(), clock.NewManual(begin)
	c := newChannel(url, filepath.Join(dir, "phone"), 20, at)
	c.Repeat = time.Minute
	step := func(want ...string) (wait time.Duration) {
		t.Helper()
		wait = c.step(t.Context(), false)
		var sent []string
		for len(got) > 0 {
			sent = append(sent, (<-got).Summary)
		}
		must.Equal(t, want, sent)
		return wait
	}
	onDisk := func() int { return len(must.Value(filepath.Glob(filepath.Join(dir, "phone", "open-*")))(t)) }
	c.note(notice("error", "lost"))
	must.Equal(t, time.Minute, step("lost"))
	at.Advance(59 * time.Second)
	step()
	at.Advance(time.Second)
	step("not seen yet: lost")
	at.Advance(time.Minute)
	step("not seen yet: lost")
	must.OK(t, Seen(dir, at.Now()))
	at.Advance(time.Hour)
	step()
	must.OK(t, Silence(dir, at.Now().Add(time.Hour)))
	c.note(notice("error", "quiet"))
	at.Advance(59 * time.Minute)
	step()
	c.note(notice("error", "hushed"))
	step()
	must.Equal(t, 1, onDisk())
	at.Advance(time.Minute)
	step("quiet (and 1 more)")
	must.Equal(t, 0, onDisk())
	must.OK(t, Silence(dir, at.Now().Add(time.Hour)))
	c.note(notice("error", "night"))
	c.step(t.Context(), true)
	c.leave()
	if left := must.Value(filepath.Glob(filepath.Join(dir, "phone", "left-*")))(t); len(left) != 1 || len(got) > 0 {
		t.Errorf("%d wait, %d are sent", len(left), len(got))
	}
}

// A notice for named channels goes to these alone, whatever its severity.
func TestNamedChannels(t *testing.T) {
	t.Parallel()
	url, got, _ := hook(t, 200)
	other, none, _ := hook(t, 200)
	var f faults
	at := clock.NewManual(begin)
	n := New([]notification.Channel{{Name: "phone", Webhook: url, Severity: "error", Hourly: 20},
		{Name: "desk", Webhook: other, Severity: "info", Hourly: 20}}, "", at, f.warn)
	n.Note(notice("info", "half"), "phone")
	n.Close()
	if m := next(t, at, time.Second, got); m.Summary != "half" || len(none) > 0 {
		t.Errorf("%s, and %d elsewhere", m.Summary, len(none))
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is of a shell")
	}
	out := filepath.Join(t.TempDir(), "out")
	m := newMessage([]Notice{notice("error", "the end")}, 0, begin)
	must.OK(t, deliver(t.Context(), &notification.Channel{Command: []string{"sh", "-c", `cat > "$1"`, "sh", out}}, m))
	var got Message
	must.OK(t, json.Unmarshal(must.Value(os.ReadFile(out))(t), &got))
	if got.Summary != "the end" {
		t.Errorf("%+v", got)
	}
	var never refusal
	if err := deliver(t.Context(), &notification.Channel{Command: []string{"false"}}, m); err == nil ||
		errors.As(err, &never) {
		t.Errorf("%v", err)
	}
	if err := deliver(t.Context(), &notification.Channel{Command: []string{"/no/such/program"}}, m); !errors.As(err,
		&never) {
		t.Errorf("%v", err)
	}
}

// A secret that others may read is not used.
func TestSecretFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("rights of files")
	}
	file := filepath.Join(t.TempDir(), "secret")
	must.OK(t, os.WriteFile(file, []byte("s3\n"), 0o600))
	c := notification.Channel{SecretFile: file}
	if secret, err := secretOf(&c); secret != "s3" || err != nil {
		t.Errorf("%q, %v", secret, err)
	}
	must.OK(t, os.Chmod(file, 0o644))
	if secret, err := secretOf(&c); secret != "" || err == nil || strings.Contains(err.Error(), "s3") {
		t.Errorf("%q, %v", secret, err)
	}
	var never refusal // the message waits for the user to mend it
	if err := deliver(t.Context(), &c, &Message{Time: begin}); err == nil || errors.As(err, &never) {
		t.Errorf("%v", err)
	}
}
