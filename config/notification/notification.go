// Package notification has the section `notify` of the settings: the channels to which watch sends ends of runs and
// warnings.
package notification

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Doc describes the section.
const Doc = "channels to which watch sends ends of runs and warnings: a command, a webhook or mail"

// Channel is a way to somebody outside the terminal.
type Channel struct {
	Name     string
	Command  []string // gets a message as JSON on its standard input
	Webhook  string   // address to which a message is posted as JSON
	Mail     Mail
	Bell     bool   // rings the terminal's bell
	Desktop  bool   // shows a message by notify-send
	Template string // of a webhook's body, over a Message; empty: the message as JSON
	Severity string // the least that is sent
	// environment variable or file of rights 0600 with the token of a webhook or the password of a mail server
	Secret, SecretFile string
	Wait               time.Duration // what comes within it is one message
	Hourly             int           // most messages in an hour; more are put together
	Repeat             time.Duration // after which a message is sent again until it is seen; 0: never
	Authority          string        // file of certificates that a server is trusted by; empty: the system's
}

// Notice is what has happened to a run.
type Notice struct {
	Severity  string    `json:"severity"`
	File      string    `json:"file"`
	Time      time.Time `json:"time"`
	State     string    `json:"state"`
	Iteration float64   `json:"iteration"`
	Text      string    `json:"text"`
}

// Message is the notices of some time.
type Message struct {
	Summary  string    `json:"summary"`
	Severity string    `json:"severity"` // the highest of its notices
	Time     time.Time `json:"time"`
	Notices  []Notice  `json:"notices"`
	More     int       `json:"more,omitempty"` // notices that are left out
}

// Body returns the body that a webhook gets.
func (c *Channel) Body(m *Message) ([]byte, error) {
	if c.Template == "" {
		return json.Marshal(m)
	}
	quote := func(x any) (string, error) {
		text, err := json.Marshal(x)
		return string(text), err
	}
	t, err := template.New("template").Funcs(template.FuncMap{"json": quote}).Parse(c.Template)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, m)
	return b.Bytes(), err
}

// Mail is a mail server and the addresses of a message.
type Mail struct {
	Server string // host:port; port 465: TLS from the beginning, else STARTTLS if it is offered
	From   string
	To     []string
	User   string // logs in with the secret; empty: without
}

// Severities are the levels of messages, the lowest first.
var Severities = []string{"info", "warning", "error"}

const want = "a channel such as {name: phone, webhook: https://ntfy.example/me}"

// Section reads the section.
func Section(r *document.Reader, dst *[]Channel) document.Value {
	if dst == nil {
		dst = new([]Channel)
	}
	return document.List(r, dst, "channels, such as [{name: phone, webhook: https://ntfy.example/me}]",
		func(c *Channel) document.Value {
			*c = Channel{Severity: "warning", Wait: 10 * time.Second, Hourly: 20}
			keys := keys(r, c)
			v := r.Section(want, keys)
			v.Read = func(n ast.Node, path string) {
				before := len(r.Problems)
				g := r.Group(n, path, want, keys)
				if len(r.Problems) > before {
					return
				}
				given := 0
				for _, key := range ways {
					if g.Has(key) {
						given++
					}
				}
				_, fault := c.Body(&Message{Notices: []Notice{{}}})
				switch at, err := url.Parse(c.Webhook); {
				case given != 1:
					g.Fail("name", "a channel has one of %s", strings.Join(ways, ", "))
				case g.Has("bell") && !c.Bell, g.Has("desktop") && !c.Desktop:
					g.Fail("name", "a way that is false sends nothing: leave the channel out")
				case fault != nil:
					g.Fail("template", "%v", fault)
				case slices.ContainsFunc(*dst, func(x Channel) bool { return x.Name == c.Name }):
					g.Fail("name", "another channel has this name")
				case g.Has("webhook") && (err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http"):
					g.Fail("webhook", "want an address such as https://ntfy.example/me")
				case g.Has("webhook") && (g.Has("secret") || g.Has("secret-file")) && at.Scheme != "https" &&
					at.Hostname() != "localhost" && at.Hostname() != "127.0.0.1":
					g.Fail("webhook", "a secret is sent by https only")
				case g.Has("secret") && g.Has("secret-file"):
					g.Fail("secret", "a channel has secret or secret-file, not both")
				}
			}
			return v
		})
}

// ways are the keys of the ways to somebody.
var ways = []string{"command", "webhook", "mail", "desktop", "bell"}

// name is the form of a channel's name, which is also that of its folder of messages that wait.
var name = document.Rule{Check: func(text string) string {
	for _, c := range text {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return "want letters, digits, - and _"
		}
	}
	return ""
}}

func keys(r *document.Reader, c *Channel) []document.Key {
	return []document.Key{
		r.Required("name", "Its name", r.Shaped(&c.Name, "a name", name)),
		r.Optional("command", "Program and arguments; it gets the message as JSON on its standard input",
			r.Texts(&c.Command, "words such as [notify-send, peregrine]", "a word", document.Rule{})),
		r.Optional("webhook", "Address to which the message is posted as JSON",
			r.Text(&c.Webhook, "an address such as https://ntfy.example/me")),
		r.Optional("mail", "Mail server and addresses",
			r.Section("a group such as {server: mail.example:587, from: me@example, to: [me@example]}", []document.Key{
				r.Required("server", "Host and port; at port 465, or as smtps://host:port, by TLS from the beginning",
					r.Text(&c.Mail.Server, "a server such as mail.example:587")),
				r.Required("from", "Sender", r.Text(&c.Mail.From, "an address")),
				r.Required("to", "Receivers", r.Texts(&c.Mail.To, "addresses", "an address", document.Rule{})),
				r.Optional("user", "Logs in with the secret", r.Text(&c.Mail.User, "a name")),
			})),
		r.Optional("desktop", "Shows the message on the desktop by notify-send", r.Flag(&c.Desktop)),
		r.Optional("bell", "Rings the terminal's bell", r.Flag(&c.Bell)),
		r.Optional("template", "Body of a webhook: a template of Go's text/template, with .Summary, .Severity, .Time, "+
			".More and .Notices of .Severity, .File, .Time, .State, .Iteration, .Text; {{json .Summary}} quotes",
			r.Text(&c.Template, "a template such as {\"text\": {{json .Summary}}}")),
		r.Optional("severity", "The least that is sent: info has good ends, warning signs and findings, error bad ends",
			r.Choice(&c.Severity, Severities...)).Or("warning"),
		r.Optional("secret", "Environment variable with the webhook's token or the server's password",
			r.Text(&c.Secret, "the name of an environment variable")),
		r.Optional("secret-file", "File of rights 0600 with it", r.Text(&c.SecretFile, "a file")),
		r.Optional("wait", "What comes within this time is one message", r.Duration(&c.Wait, 0, 86400)).Or("10 s"),
		r.Optional("hourly", "Most messages in an hour; what is more waits and is one message",
			r.Count(&c.Hourly, 1, 1000)).Or("20"),
		r.Optional("repeat", "Sends the latest message again after this time until `peregrine watch --seen`",
			r.Duration(&c.Repeat, 10, 1e6)),
		r.Optional("authority", "File of certificates, PEM, by which a server of your own is trusted",
			r.Text(&c.Authority, "a file")),
	}
}
