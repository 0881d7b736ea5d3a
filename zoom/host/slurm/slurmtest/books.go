package slurmtest

// The accounts of a cluster: slurmdbd on a MariaDB of its own, which listens at a socket in the cluster's folder.

import (
	"fmt"
	"os"
	"os/user"
	"strings"
)

// booksLines returns the lines of slurm.conf for accounts with the daemon at a port.
func (c *Cluster) booksLines(port int) []string {
	return []string{
		"AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=localhost",
		fmt.Sprint("AccountingStoragePort=", port), "AccountingStoragePass=" + c.path("munge.socket"),
	}
}

// keepBooks starts the database and its daemon, at a port. munged must be running.
func (c *Cluster) keepBooks(port int) {
	c.t.Helper()
	who, err := user.Current()
	if err != nil {
		c.t.Fatal(err)
	}
	data, socket := c.path("books"), c.path("books.socket")
	c.t.Setenv("MYSQL_UNIX_PORT", socket) // slurmdbd has no setting for it
	c.ran("mariadb-install-db", "--no-defaults", "--datadir="+data, "--user="+who.Username,
		"--auth-root-authentication-method=socket", "--auth-root-socket-user="+who.Username, "--skip-test-db")
	c.books = append(c.books, c.start("mariadbd", find1("mariadbd"), "--no-defaults", "--datadir="+data,
		"--socket="+socket, "--skip-networking",
		"--user="+who.Username, "--pid-file="+c.path("mariadbd.pid"), "--innodb-buffer-pool-size=16M"))
	c.await("mariadbd", func() bool { return exists(socket) })
	if err := os.WriteFile(c.path("slurmdbd.conf"), []byte(c.booksConf(who.Username, port)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.books = append(c.books, c.start("slurmdbd", find1("slurmdbd"), "-D"))
	c.await("slurmdbd", func() bool {
		_, err := c.ask("sacctmgr", "--immediate", "add", "cluster", "slurmtest")
		return err == nil
	})
}

func (c *Cluster) booksConf(who string, port int) string {
	return strings.Join([]string{
		"AuthType=auth/munge", "AuthInfo=socket=" + c.path("munge.socket"), "DbdHost=localhost",
		fmt.Sprint("DbdPort=", port), "SlurmUser=" + who,
		"PidFile=" + c.path("slurmdbd.pid"), "StorageType=accounting_storage/mysql", "StorageHost=localhost",
		"StorageUser=" + who, "StorageLoc=slurmtest", "",
	}, "\n")
}

// ran runs a program that ends by itself; its failure fails the test.
func (c *Cluster) ran(words ...string) {
	c.t.Helper()
	if _, err := c.ask(words...); err != nil {
		c.t.Fatal(err)
	}
}
