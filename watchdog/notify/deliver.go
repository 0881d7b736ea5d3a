package notify

// The ways of a message: a command, a webhook, mail.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/smtp"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// deliverTime bounds a delivery: a server that hangs does not keep other messages for longer.
const deliverTime = 10 * time.Second

// errSilent is the end of a delivery to a server that hangs.
var errSilent = fmt.Errorf("no answer within %.0f s", deliverTime.Seconds())

// A refusal is a fault that a further attempt does not mend.
type refusal struct{ error }

// deliver sends a message once.
func deliver(ctx context.Context, c *notification.Channel, m *Message) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deliverTime, errSilent)
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		cancel()
	}()
	secret, err := secretOf(c)
	if err != nil {
		return err
	}
	switch {
	case c.Bell:
		_, err := os.Stderr.WriteString("\a")
		return err
	case c.Desktop:
		shown := *c
		urgency := map[string]string{"error": "critical", "info": "low"}[m.Severity]
		shown.Command = []string{"notify-send", "--app-name=peregrine", "--urgency=" + cmp.Or(urgency, "normal"), "--",
			m.Summary, lines(m)}
		return command(ctx, &shown, m)
	case len(c.Command) > 0:
		return command(ctx, c, m)
	case c.Webhook != "":
		return post(ctx, c, secret, m)
	}
	return mail(ctx, c, secret, m)
}

// secretOf reads a channel's secret. Messages name its place and never the secret.
func secretOf(c *notification.Channel) (string, error) {
	switch {
	case c.Secret != "":
		secret, set := os.LookupEnv(c.Secret)
		if !set {
			return "", fmt.Errorf("the environment variable %s of its secret is not set", c.Secret)
		}
		return secret, nil
	case c.SecretFile == "":
		return "", nil
	}
	f, err := intake.Open(c.SecretFile)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if others := info.Mode().Perm() & 0o077; others != 0 {
		return "", fmt.Errorf("%s: others may read the secret; chmod 600 it", c.SecretFile)
	}
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	return strings.TrimSpace(string(data)), err
}

func command(ctx context.Context, c *notification.Channel, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return refusal{err}
	}
	input, output, err := os.Pipe()
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() {
		_, err := output.Write(append(body, '\n'))
		written <- errors.Join(err, output.Close())
	}()
	program := process.Exec{Words: c.Command, Environment: os.Environ(), Input: input, Output: os.Stderr, Group: true,
		Patience: time.Second}
	end, err := program.Run(ctx)
	_ = input.Close()  // the program has what it read
	_ = output.Close() // what it has left behind may hold the other end
	<-written          // a program need not read it
	switch {
	case err != nil:
		return refusal{err}
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end within %v", c.Command[0], deliverTime)
	case !end.Success():
		return fmt.Errorf("%s: %v", c.Command[0], end)
	}
	return nil
}

// noRedirect follows no redirect: only the user's address gets a message and its secret.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// trust returns the settings of an encrypted connection: the channel's own authority counts instead of the system's.
func trust(c *notification.Channel, host string) (*tls.Config, error) {
	settings := &tls.Config{ServerName: host}
	if c.Authority == "" {
		return settings, nil
	}
	text, err := intake.Read(c.Authority, intake.Limit{Bytes: 1 << 20})
	if settings.RootCAs = x509.NewCertPool(); err == nil && !settings.RootCAs.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s has no certificate", c.Authority)
	}
	return settings, err
}

func post(ctx context.Context, c *notification.Channel, secret string, m *Message) error {
	body, err := c.Body(m)
	if err != nil {
		return refusal{err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Webhook, bytes.NewReader(body))
	if err != nil {
		return refusal{errors.New("its webhook is no address")} // err has it, and with it the secrets in its path
	}
	kind := "text/plain; charset=utf-8"
	if json.Valid(body) {
		kind = "application/json"
	}
	request.Header.Set("Content-Type", kind)
	if secret != "" {
		request.Header.Set("Authorization", "Bearer "+secret)
	}
	secure, err := trust(c, "")
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = secure
	defer transport.CloseIdleConnections()
	client := http.Client{CheckRedirect: noRedirect, Transport: transport}
	answer, err := client.Do(request)
	if fault := (*url.Error)(nil); errors.As(err, &fault) { // it has the address, whose path may be a secret
		err = fmt.Errorf("%s: %w", request.URL.Host, fault.Err)
	}
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 4096)) // so that the connection can be used again
	_ = answer.Body.Close()
	fault := fmt.Errorf("%s answers %s", request.URL.Host, answer.Status)
	switch {
	case answer.StatusCode < 300:
		return nil
	case answer.StatusCode < 400:
		return refusal{fmt.Errorf("%w: it is elsewhere; set its new address", fault)}
	case answer.StatusCode >= 500 || slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooManyRequests},
		answer.StatusCode):
		return fault
	}
	return refusal{fault}
}

// mail sends a message by SMTP (RFC 5321).
func mail(ctx context.Context, c *notification.Channel, secret string, m *Message) error {
	server, implicit := strings.CutPrefix(c.Mail.Server, "smtps://")
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		return refusal{err}
	}
	secure, err := trust(c, host)
	if err != nil {
		return err
	}
	dial := (&net.Dialer{}).DialContext
	if implicit || port == "465" { // TLS from the beginning, RFC 8314
		dial = (&tls.Dialer{Config: secure}).DialContext
	}
	connection, err := dial(ctx, "tcp", server)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() }) // a server that hangs
	defer stop()
	s, err := smtp.NewClient(connection, host)
	if err != nil {
		return errors.Join(err, connection.Close())
	}
	defer func() { _ = s.Close() }() // after Quit it is closed
	err = func() error {
		if encrypts, _ := s.Extension("STARTTLS"); encrypts {
			if err := s.StartTLS(secure); err != nil {
				return err
			}
		}
		if c.Mail.User != "" {
			if err := s.Auth(smtp.PlainAuth("", c.Mail.User, secret, host)); err != nil {
				return err
			}
		}
		if err := s.Mail(c.Mail.From); err != nil {
			return err
		}
		for _, to := range c.Mail.To {
			if err := s.Rcpt(to); err != nil {
				return err
			}
		}
		w, err := s.Data()
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, letter(c, m)); err != nil {
			return err
		}
		return w.Close()
	}()
	if reply := (*textproto.Error)(nil); errors.As(err, &reply) && reply.Code >= 500 {
		return refusal{err}
	}
	if err == nil {
		_ = s.Quit() // the message is with the server
	}
	return err
}

// letter writes a message as mail (RFC 5322).
func letter(c *notification.Channel, m *Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From: %s\r\nTo: %s\r\nSubject: %s\r\nDate: %s\r\n", c.Mail.From, strings.Join(c.Mail.To, ", "),
		mime.QEncoding.Encode("utf-8", m.Summary), m.Time.Format(time.RFC1123Z))
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n")
	b.WriteString(strings.ReplaceAll(lines(m), "\n", "\r\n"))
	return b.String()
}

// lines are the notices of a message, a line each.
func lines(m *Message) string {
	var b strings.Builder
	for _, n := range m.Notices {
		fmt.Fprintf(&b, "%s: %s\n", n.Severity, n.Text)
	}
	return b.String()
}
