package ssh

// The meaning of ssh's messages, and the remedies. The messages are OpenSSH's, which does not translate them.

import (
	"errors"
	"fmt"
	"strings"
)

// HostError reports a host that cannot be used.
type HostError struct {
	Host string
	Why  error
}

func (e *HostError) Error() string { return fmt.Sprintf("host %s: %v", e.Host, e.Why) }
func (e *HostError) Unwrap() error { return e.Why }

// inner is an error without the host.
func inner(err error) error {
	var of *HostError
	if errors.As(err, &of) {
		return of.Why
	}
	return err
}

// explain returns the remedy for an error message of ssh; nil: unknown message.
func explain(host, printed string) error {
	switch has := func(text string) bool { return strings.Contains(printed, text) }; {
	case has("REMOTE HOST IDENTIFICATION HAS CHANGED"):
		return fmt.Errorf("its key is another than ssh knows: find out why, and remove the old one (ssh-keygen -R); "+
			"ssh says: %s", lastOf(printed))
	case has("Host key verification failed"):
		return fmt.Errorf("ssh does not know its key: run `ssh %s` once by hand, compare the key that it shows with "+
			"the host's, and accept it", host)
	case has("Permission denied (") || has("Too many authentication failures"):
		return fmt.Errorf(
			"it does not let this user in without a question: `ssh -o BatchMode=yes %s true` must work, by a key, an "+
				"agent or a ticket; ssh says: %s", host, lastOf(printed))
	}
	return nil
}

// lastOf is the end of a long text.
func lastOf(text string) string {
	const most = 300
	return text[max(0, len(text)-most):]
}
