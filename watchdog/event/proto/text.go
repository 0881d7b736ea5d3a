package proto

import _ "embed"

// Text is the file event.proto, for those who write a plugin in another language.
//
//go:embed event.proto
var Text string
