package web

// Who may ask: the user whose terminal showed the link, and no page of another site.

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard checks each request. It knows the token of the link, and the secret of the cookie that the token is exchanged
// for: a cookie that leaks does not reveal the token.
type guard struct {
	token, cookie string
	name          string   // of the cookie; it has the port, as cookies of one host are shared by its ports
	hosts         []string // names of this server, without ports; none: any
	secure        bool     // TLS
}

// secret returns 128 random bits as text.
func secret() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// newGuard returns the guard of a server at an address. More hosts may be named beside the address's own.
func newGuard(at net.Addr, secure bool, names ...string) *guard {
	g := &guard{token: secret(), cookie: secret(), name: "peregrine", secure: secure}
	tcp, ok := at.(*net.TCPAddr)
	if !ok { // a unix socket: only the user can open it, so any name may reach it
		return g
	}
	g.name += "-" + fmt.Sprint(tcp.Port)
	g.hosts = append(names, tcp.IP.String())
	if tcp.IP.IsLoopback() {
		g.hosts = append(g.hosts, "localhost", "127.0.0.1", "::1")
	}
	return g
}

// known reports whether a Host header names this server. A foreign name is that of a page that was sent to this address
// by its name server, to read it in the name of its own site. Ports do not matter: ssh -L may forward another one.
func (g *guard) known(host string) bool {
	if len(g.hosts) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// own reports whether a request comes from this server's page, or from no page at all. A link of another page may lead
// to this one, which has no data.
func (g *guard) own(r *http.Request, data bool) bool {
	opened := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !data
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && !opened {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	scheme := "http"
	if g.secure {
		scheme = "https"
	}
	return u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// member reports whether a request has the token or the cookie.
func (g *guard) member(r *http.Request) bool {
	if given := r.Header.Get("Authorization"); given != "" {
		return same(given, "Bearer "+g.token)
	}
	return slices.ContainsFunc(r.CookiesNamed(g.name), func(c *http.Cookie) bool { return same(c.Value, g.cookie) })
}

// protect answers requests that this server must not answer, and passes the others on. A page's own files need no
// token: they hold no data.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		data := strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/metrics"
		switch {
		case !g.known(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this server has another name: open the link that it printed")
		case !g.own(r, data):
			refuse(w, http.StatusForbidden, "the request comes from a page of another site")
		case data && !g.member(r):
			h.Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong: open the link that the server printed")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// session exchanges the token for the cookie.
func (g *guard) session(w http.ResponseWriter, _ *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.cookie, Path: "/", HttpOnly: true, Secure: g.secure,
		SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}
