// Package certificate creates and stores the keys by which a host and its plugins authenticate each other.
//
// A plugin listens on a socket and obeys requests, so both ends prove their identity: the host creates both
// certificates, and either end trusts only certificates signed by the authority of the study's folder. The authority's
// private key is discarded after signing, so no third party can be added later. All other keys are kept in files that
// only their owner can read. A restarted host finds them there and can reach the plugins that its predecessor left
// running.
//
// The keys are NIST P-256: Go and Python's gRPC both accept them, and a handshake costs a fraction of one with P-521.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// PluginName is the server name in a plugin's certificate. It is no host name: the peers meet on a local socket.
const PluginName = "plugin.peregrine"

// HostName is the name in the host's certificate.
const HostName = "host.peregrine"

// A pair lives as long as a study may run unattended and be looked at again.
const lifetime = 2 * 365 * 24 * time.Hour

// Names of the files in a Store's folder.
const (
	authorityFile  = "authority.pem"
	hostFile       = "host.pem"
	hostKeyFile    = "host.key"
	pluginFile     = "plugin.pem"
	pluginKeyFile  = "plugin.key"
	certificateBit = "CERTIFICATE"
	keyBit         = "EC PRIVATE KEY"
)

// Store is a folder with the certificates of one study.
type Store struct {
	dir   string
	clock clock.Clock
}

// making is held while a folder is created or replaced, so that all hosts of one process get the same certificates if
// an old set must be removed first. Between processes, whose sets are complete, the first wins.
var making sync.Mutex

// Open returns the certificates in dir. It creates them if they are missing, incomplete (no plugin can be reached with
// them) or about to expire. The folder gets mode 0700 and its files 0600. Processes that open the same folder
// concurrently get the same certificates.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, clock: clock.Real}
	making.Lock()
	defer making.Unlock()
	err := s.check()
	if replaceable(err) {
		if err := s.make(); err != nil {
			return nil, err
		}
		err = s.check()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Find returns the existing certificates in dir. It creates none.
func Find(dir string) (*Store, error) {
	s := &Store{dir: dir, clock: clock.Real}
	if err := s.check(); err != nil && !isExpired(err) {
		return nil, err
	}
	return s, nil
}

// replaceable reports whether a set that check rejects may be replaced: a missing or expired set. A set that cannot be
// read, or other content, may belong to the user, who must remove it.
func replaceable(err error) bool { return errors.Is(err, fs.ErrNotExist) || isExpired(err) }

// Host returns the TLS configuration by which the host calls a plugin.
func (s *Store) Host() (*tls.Config, error) {
	cert, pool, err := load(s.path(hostFile), s.path(hostKeyFile), s.path(authorityFile))
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{cert},
		RootCAs:      pool,
		ServerName:   PluginName,
		MinVersion:   tls.VersionTLS13,
	}, nil
}

// Plugin returns the TLS configuration by which a plugin serves. It rejects clients without the host's certificate.
func (s *Store) Plugin() (*tls.Config, error) {
	return server(s.path(pluginFile), s.path(pluginKeyFile), s.path(authorityFile))
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

func server(certFile, keyFile, authority string) (*tls.Config, error) {
	cert, pool, err := load(certFile, keyFile, authority)
	if err != nil {
		return nil, err
	}
	return serving(cert, pool), nil
}

// serving rejects all clients except the host.
func serving(cert tls.Certificate, pool *x509.CertPool) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{cert},
		ClientCAs:    pool,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		VerifyConnection: func(c tls.ConnectionState) error {
			return c.PeerCertificates[0].VerifyHostname(HostName)
		},
		MinVersion: tls.VersionTLS13,
	}
}

// limit bounds the file of a certificate or key, which has less than 1 kB.
var limit = intake.Limit{What: "a certificate", Bytes: 1 << 20}

// pair reads a certificate and its key.
func pair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := intake.Read(certFile, limit)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := intake.Read(keyFile, limit)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

func load(certFile, keyFile, authority string) (tls.Certificate, *x509.CertPool, error) {
	cert, err := pair(certFile, keyFile)
	if err != nil {
		return cert, nil, fmt.Errorf("certificate %s: %w", certFile, err)
	}
	text, err := intake.Read(authority, limit)
	if err != nil {
		return cert, nil, fmt.Errorf("certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return cert, nil, fmt.Errorf(
			"certificate %s: no certificate in it; remove its folder, and a new one is made", authority)
	}
	return cert, pool, nil
}

// expiredError reports that the certificates must be replaced.
type expiredError struct{ until time.Time }

func (e expiredError) Error() string {
	return "certificate: expired on " + e.until.Format(time.DateOnly)
}

func isExpired(err error) bool { _, ok := err.(expiredError); return ok }

// check reports whether the folder holds usable certificates. The error is fs.ErrNotExist if the folder or a file is
// missing, and expiredError if the certificates expire within a week.
func (s *Store) check() error {
	if _, err := os.Stat(s.dir); err != nil {
		return err
	}
	for _, pair := range [][2]string{{hostFile, hostKeyFile}, {pluginFile, pluginKeyFile}} {
		cert, _, err := load(s.path(pair[0]), s.path(pair[1]), s.path(authorityFile))
		if err != nil {
			return err
		}
		if cert.Leaf.NotAfter.Sub(s.clock.Now()) < 7*24*time.Hour {
			return expiredError{cert.Leaf.NotAfter}
		}
	}
	return nil
}

// makingPrefix begins the names of folders of certificates that are being made.
const makingPrefix = ".certificate-"

// Making reports whether a name is that of a folder of certificates that are being made or removed.
func Making(name string) bool { return strings.HasPrefix(name, makingPrefix) }

// Sweep removes from a folder the certificates that ended processes were creating or removing.
func Sweep(folder string) { process.RemoveLeft(folder, makingPrefix) }

// beside makes a folder beside another, under a name that Sweep knows.
func beside(dir string) (string, error) {
	return os.MkdirTemp(filepath.Dir(dir), makingPrefix+process.Self().Tag()+"-*")
}

// Remove removes the certificates in dir in one step: a process killed during Remove leaves no partial set under the
// name. Missing certificates are no error.
func Remove(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	bin, err := beside(dir)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	err = os.Rename(dir, filepath.Join(bin, "old"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another process was faster
	}
	return errors.Join(err, os.RemoveAll(bin))
}

// make writes a complete set beside the folder and renames it into place. A reader never sees a partial set, and of
// several writers the first wins.
func (s *Store) make() error {
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o700); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	Sweep(filepath.Dir(s.dir))
	tmp, err := beside(s.dir)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := write(tmp, s.clock.Now()); err != nil {
		return err
	}
	if replaceable(s.check()) {
		if err := Remove(s.dir); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp, s.dir); err != nil && s.check() != nil {
		return fmt.Errorf("certificate: cannot put certificates into %s: %w", s.dir, err)
	}
	return nil
}

// write creates an authority and the two certificates that it signs, valid from now.
func write(dir string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	authority := template("authority.peregrine", now)
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if err := writePEM(filepath.Join(dir, authorityFile), certificateBit, der); err != nil {
		return err
	}
	for _, end := range []struct {
		name, cert, key string
		usage           x509.ExtKeyUsage
	}{
		{HostName, hostFile, hostKeyFile, x509.ExtKeyUsageClientAuth},
		{PluginName, pluginFile, pluginKeyFile, x509.ExtKeyUsageServerAuth},
	} {
		leaf := template(end.name, now)
		leaf.KeyUsage = x509.KeyUsageDigitalSignature
		leaf.ExtKeyUsage = []x509.ExtKeyUsage{end.usage}
		if err := sign(leaf, authority, key, filepath.Join(dir, end.cert), filepath.Join(dir, end.key)); err != nil {
			return err
		}
	}
	return nil
}

func sign(leaf, authority *x509.Certificate, signer *ecdsa.PrivateKey, certFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, signer)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if err := writePEM(certFile, certificateBit, der); err != nil {
		return err
	}
	return writePEM(keyFile, keyBit, private)
}

func template(name string, now time.Time) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(err) // crypto/rand does not fail on a supported system
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: []string{"Peregrine"}},
		DNSNames:     []string{name},
		NotBefore:    now.Add(-lifetime), // clocks of two machines differ, and are set back
		NotAfter:     now.Add(lifetime),
	}
}

func writePEM(path, kind string, der []byte) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := atomic.WriteFile(path, text, atomic.Mode(0o600)); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}
