package hosting

import "os"

// redirect sends everything that this process prints through Go to the log. go-plugin has
// pointed os.Stdout and os.Stderr at pipes that it relays through the host, which would block
// the plugin once the host is gone.
func redirect(log *os.File) { os.Stdout, os.Stderr = log, log }
