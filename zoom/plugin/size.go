package plugin

// How large an answer can be. A plugin gone mad must not take the host's memory with it, and
// what it may answer follows from what it says of itself.

// MaxMessage bounds what goes in one message between a host and a plugin, bytes. What the plugin
// replies is bounded further by what it says of itself; see Description.MaxReply.
const MaxMessage = 256 << 20

const (
	maxText     = 1 << 20 // bytes of a text or of a file's name
	replyMargin = 4 << 20 // bytes, for names, the message and what a solver's events hold
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
