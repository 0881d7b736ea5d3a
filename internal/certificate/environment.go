package certificate

// How a plugin finds its certificates: the host names the files in the
// environment of the process that it starts. Files and not the keys
// themselves, because an environment can be read by more people than a file
// of mode 0600, and because plugins in other languages read files easily.

import (
	"crypto/tls"
	"fmt"
	"os"
)

// Environment variables of a plugin's process, each the path of a PEM file.
const (
	EnvAuthority = "PEREGRINE_PLUGIN_AUTHORITY"   // certificate that signed the host's
	EnvCert      = "PEREGRINE_PLUGIN_CERTIFICATE" // the plugin's own
	EnvKey       = "PEREGRINE_PLUGIN_KEY"         // its key
)

// Environment returns NAME=path lines for the process of a plugin.
func (s *Store) Environment() []string {
	return []string{
		EnvAuthority + "=" + s.path(authorityFile),
		EnvCert + "=" + s.path(pluginFile),
		EnvKey + "=" + s.path(pluginKeyFile),
	}
}

// FromEnvironment returns the configuration with which a plugin serves, read
// from the files that its environment names. It has the form of go-plugin's
// ServeConfig.TLSProvider. There is no unencrypted fallback: a missing variable
// is an error.
func FromEnvironment() (*tls.Config, error) {
	var path [3]string
	for i, name := range []string{EnvCert, EnvKey, EnvAuthority} {
		if path[i] = os.Getenv(name); path[i] == "" {
			return nil, fmt.Errorf("certificate: environment variable %s is not set; a plugin is started by its host, which sets it", name)
		}
	}
	return server(path[0], path[1], path[2])
}
