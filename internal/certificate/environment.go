package certificate

// How a plugin finds its certificates: the host names the files in the
// environment of the process that it starts. Files and not the keys
// themselves, because an environment can be read by more people than a file
// of mode 0600, and because plugins in other languages read files easily.

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/intake"
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

// Keys returns the content of the files that Environment names, by variable, for a plugin on a machine without access
// to these files. The receiver writes it only to files of mode 0600.
func (s *Store) Keys() (map[string][]byte, error) {
	keys := map[string][]byte{}
	for _, line := range s.Environment() {
		name, path, _ := strings.Cut(line, "=")
		content, err := intake.Read(path, limit)
		if err != nil {
			return nil, err
		}
		keys[name] = content
	}
	return keys, nil
}

// FromKeys returns the TLS configuration by which the holder of these keys serves the host that created them. Either
// side may have opened the connection.
func FromKeys(keys map[string][]byte) (*tls.Config, error) {
	cert, err := tls.X509KeyPair(keys[EnvCert], keys[EnvKey])
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(keys[EnvAuthority]) {
		return nil, errors.New("certificate: there is no authority's")
	}
	return serving(cert, pool), nil
}

// FromEnvironment returns the TLS configuration by which a plugin serves, read from the files that its environment
// names. It has the form of go-plugin's ServeConfig.TLSProvider. A missing variable is an error: no unencrypted
// fallback exists.
func FromEnvironment() (*tls.Config, error) {
	var path [3]string
	for i, name := range []string{EnvCert, EnvKey, EnvAuthority} {
		if path[i] = os.Getenv(name); path[i] == "" {
			return nil, fmt.Errorf(
				"certificate: environment variable %s is not set; a plugin is started by its host, which sets it", name)
		}
	}
	return server(path[0], path[1], path[2])
}
