// Package certificate makes and keeps the keys with which a host and its
// plugins know each other.
//
// A plugin listens on a socket and obeys requests, so both ends prove who
// they are: the host made both certificates, and either end trusts only what
// the one authority of the study's folder signed. The authority's own key is
// forgotten once it has signed, so that nobody can add a third party later,
// and everything else stays in files that only their owner can read. A host
// that is started again finds them there and can reach the plugins that its
// predecessor left running.
//
// The keys are NIST P-256: Go and Python's gRPC both take them, and a handshake
// costs a fraction of what P-521 costs.
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
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// PluginName is the name that a plugin's certificate carries and that the host
// asks for. It is no host name: the peers meet on a local socket.
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

// making is held while a folder is made or replaced, so that the hosts of one process end with the same certificates
// where a set must go first. Of several processes, whose sets are whole, the first wins.
var making sync.Mutex

// Open returns the certificates in dir, after making them if there are none, if some of their files are missing
// (nobody can be reached with them), or if they are about to expire. The folder gets mode 0700 and its files 0600.
// Processes that open the same folder at once end with the same certificates.
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

// Find returns the certificates in dir, as somebody made them who is still reached with them: none are made.
func Find(dir string) (*Store, error) {
	s := &Store{dir: dir, clock: clock.Real}
	if err := s.check(); err != nil && !isExpired(err) {
		return nil, err
	}
	return s, nil
}

// replaceable reports whether a set that check finds fault with is made anew. One that cannot be read, or that
// holds something else, may be somebody's: it is theirs to remove.
func replaceable(err error) bool { return errors.Is(err, fs.ErrNotExist) || isExpired(err) }

// Dir is the folder that holds the certificates.
func (s *Store) Dir() string { return s.dir }

// Host returns the configuration with which the host calls a plugin.
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

// Plugin returns the configuration with which a plugin serves. It turns away
// clients without the host's certificate.
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

// serving turns away whoever is not the host.
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

// limit is that of a certificate or key, which has less than 1 kB.
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
			"certificate %s: no certificate in it; remove its folder so that a new one is made", authority)
	}
	return cert, pool, nil
}

// expiredError reports that the certificates must be replaced.
type expiredError struct{ until time.Time }

func (e expiredError) Error() string {
	return "certificate: expired on " + e.until.Format(time.DateOnly)
}

func isExpired(err error) bool { _, ok := err.(expiredError); return ok }

// check reports whether the folder holds usable certificates: fs.ErrNotExist if
// it or one of its files is missing, expiredError if they end within a week.
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

// Sweep removes certificates from a folder that processes were making, or removing, which have ended.
func Sweep(folder string) { process.RemoveLeft(folder, makingPrefix) }

// beside makes a folder beside another, under a name that Sweep knows.
func beside(dir string) (string, error) {
	return os.MkdirTemp(filepath.Dir(dir), makingPrefix+process.Self().Tag()+"-*")
}

// Remove removes the certificates in dir, all at once for whoever looks: of a process that is killed meanwhile no half
// of a set stays under the name. No certificates are no error.
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

// make writes a complete set beside the folder and moves it into place, so
// that a reader never sees half of one and, of several makers, one wins.
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

// write makes an authority and the two certificates that it signs, valid from now.
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
		NotBefore:    now.Add(-time.Hour), // clocks of two machines differ
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
