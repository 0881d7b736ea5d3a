package proto

import _ "embed"

// Text is the file solver.proto, for those who write a plugin in another language.
//
//go:embed solver.proto
var Text string
