package plugin

// The limit of an answer's size. A faulty plugin must not exhaust the host's memory, so the limit follows from the
// plugin's description.

// MaxMessage is the largest message between a host and a plugin, bytes. The plugin's description sets a lower limit for
// its replies; see Description.MaxReply.
const MaxMessage = 256 << 20

const (
	maxText     = 1 << 20 // bytes of a text or of a file's name
	replyMargin = 4 << 20 // bytes, for names, the message and the content of a solver's events
)

// MaxReply is how many bytes a reply of the solver has at most: its outputs, each as large as its
// shape can be, and 4 MiB. Replies are events, and the answer.
func (d *Description) MaxReply() int {
	most := replyMargin
	for _, q := range d.Outputs {
		switch q.Shape {
		case Scalar:
			most += 8
		case Profile:
			most += 8 * MaxProfile
		default:
			most += maxText
		}
	}
	return min(most, MaxMessage)
}
