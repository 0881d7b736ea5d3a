// Package slurmtest makes clusters of virtual nodes under Slurm on this machine, for tests: a controller, a daemon for
// each node and a munged with a key of its own. It neither reads nor changes the machine's configuration: ports,
// sockets, keys and folders belong to the cluster, so that several tests may each have a cluster at a time. Its nodes
// share the machine's files, cores and host name; programs tell them apart by SLURMD_NODENAME. They do not enforce the
// limits of jobs.
//
// The daemons are children of the test's process, in the foreground, and end with it.
package slurmtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Cores and Memory are the resources of a node.
const (
	Cores  = 2
	Memory = 4000 // MB
)

// Cluster is a running cluster. Its nodes are n1, n2 and so on.
type Cluster struct {
	Conf string // path of slurm.conf; SLURM_CONF is set to it until the test ends

	t          *testing.T
	folder     string
	controller *daemon
	munge      *daemon
	nodes      []*daemon
	books      []*daemon // database and daemon of accounts; nil: it keeps none
}

const (
	upTime   = time.Minute // time in which a cluster must be up
	lookTime = 100 * time.Millisecond
)

// Start starts a cluster and waits until all its nodes are idle. Lines are added to slurm.conf. Without Slurm it skips
// the test, or fails it if CI=true.
func Start(t *testing.T, nodes int, lines ...string) *Cluster {
	t.Helper()
	return start(t, nodes, false, lines)
}

// StartAccounted is Start of a cluster that keeps accounts of its jobs in a database of its own.
func StartAccounted(t *testing.T, nodes int, lines ...string) *Cluster {
	t.Helper()
	need(t, "slurmdbd mariadb-server", "slurmdbd", "mariadbd", "mariadb-install-db", "sacct", "sacctmgr")
	return start(t, nodes, true, lines)
}

// need skips a test where programs of some Debian packages are not installed.
func need(t *testing.T, packages string, programs ...string) {
	t.Helper()
	testenv.Long(t, "starts a Slurm cluster")
	for _, program := range programs {
		testenv.Program(t, packages, program)
	}
}

func start(t *testing.T, nodes int, accounts bool, lines []string) *Cluster {
	t.Helper()
	need(t, "slurm-wlm munge", "munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "srun", "scontrol")
	folder, err := os.MkdirTemp("/tmp", "slurmtest-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Conf: filepath.Join(folder, "slurm.conf"), t: t, folder: folder}
	t.Cleanup(c.end)
	t.Setenv("SLURM_CONF", c.Conf)
	var books []int
	if accounts {
		if books, err = freePorts(1); err != nil {
			t.Fatal(err)
		}
		lines = append(c.booksLines(books[0]), lines...)
	}
	c.layOut(nodes, lines)
	c.munge = c.start("munged", find1("munged"), "--foreground", "--force", "--num-threads=2",
		"--key-file="+c.path("munge.key"), "--socket="+c.path("munge.socket"), "--pid-file="+c.path("munged.pid"),
		"--seed-file="+c.path("munge.seed"), "--log-file="+c.path("munged.log"))
	c.await("munged", func() bool { _, err := os.Stat(c.path("munge.socket")); return err == nil })
	if accounts {
		c.keepBooks(books[0])
	}
	c.StartController()
	for n := 1; n <= nodes; n++ {
		c.nodes = append(c.nodes, c.startNode(n))
	}
	c.AwaitNodes("idle", nodes)
	return c
}

// find finds a daemon, also where the folder of daemons is not in PATH.
func find(program string) (string, error) {
	path, err := hosting.Find(program)
	if err == nil {
		return path, nil
	}
	if sbin := filepath.Join("/usr/sbin", program); exists(sbin) {
		return sbin, nil
	}
	return "", err
}

func find1(program string) string {
	path, _ := find(program) // Start has found it before
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (c *Cluster) path(name string) string { return filepath.Join(c.folder, name) }

// layOut writes the files that the daemons read.
func (c *Cluster) layOut(nodes int, lines []string) {
	c.t.Helper()
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	ports, err := freePorts(nodes + 1)
	if err == nil {
		err = os.WriteFile(c.path("munge.key"), key, 0o600)
	}
	if err == nil {
		err = os.Mkdir(c.path("state"), 0o755)
	}
	for n := 1; n <= nodes && err == nil; n++ {
		err = os.Mkdir(c.path(fmt.Sprintf("spool.n%d", n)), 0o755)
	}
	if err == nil {
		err = os.Chmod(c.folder, 0o755) // munged wants its socket to be reachable
	}
	if err == nil {
		err = os.WriteFile(c.Conf, []byte(c.conf(ports)+strings.Join(lines, "\n")+"\n"), 0o644)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// conf is the text of slurm.conf. Times are as short as Slurm's own way of counting them allows.
func (c *Cluster) conf(ports []int) string {
	name := "root"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	var b strings.Builder
	for _, line := range []string{
		"ClusterName=slurmtest", "SlurmctldHost=localhost", fmt.Sprint("SlurmctldPort=", ports[0]),
		"SlurmUser=" + name, "SlurmdUser=" + name,
		"AuthType=auth/munge", "CredType=cred/munge", "AuthInfo=cred_expire=15,socket=" + c.path("munge.socket"),
		"StateSaveLocation=" + c.path("state"), "SlurmdSpoolDir=" + c.path("spool.%n"),
		"SlurmctldPidFile=" + c.path("slurmctld.pid"), "SlurmdPidFile=" + c.path("slurmd.%n.pid"),
		"ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "SwitchType=switch/none",
		"JobAcctGatherType=jobacct_gather/none", "JobCompType=jobcomp/none",
		"SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory", "SlurmdParameters=config_overrides",
		"SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1,max_batch_requeue=1",
		"SlurmdTimeout=5", "BatchStartTimeout=1", "SlurmctldTimeout=10", "KillWait=2", "ReturnToService=2",
		"JobRequeue=1", "Licenses=solver:3",
	} {
		fmt.Fprintln(&b, line)
	}
	for n, port := range ports[1:] {
		fmt.Fprintf(&b, "NodeName=n%d NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d\n", n+1,
			port, Cores, Memory)
	}
	b.WriteString("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
	return b.String()
}

// freePorts finds unused ports, below the ports that the system gives to connections.
func freePorts(count int) (ports []int, err error) {
	var seed [2]byte
	_, _ = rand.Read(seed[:])
	at := 12000 + (int(seed[0])<<8|int(seed[1]))%18000
	for ; len(ports) < count && at < 32000; at++ {
		l, err := net.Listen("tcp", fmt.Sprint(":", at))
		if err != nil {
			continue
		}
		defer func() { _ = l.Close() }() // all at once, so that none is found twice
		ports = append(ports, at)
	}
	if len(ports) < count {
		return nil, fmt.Errorf("there are not %d free ports from %d to 32000", count, at)
	}
	return ports, nil
}

// Command runs a command of Slurm and returns its output; its failure fails the test.
func (c *Cluster) Command(words ...string) string {
	c.t.Helper()
	out, err := c.ask(words...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func (c *Cluster) ask(words ...string) (string, error) {
	q := process.Question{Words: words, Environment: append(os.Environ(), "SLURM_CONF="+c.Conf), Limit: upTime,
		Most: 1 << 20}
	return q.Ask(context.Background()) // also when the test's context has ended
}

// AwaitNodes waits until count nodes are in a state, as named by `sinfo -t`.
func (c *Cluster) AwaitNodes(state string, count int) {
	c.t.Helper()
	c.await(fmt.Sprintf("%d nodes that are %s", count, state), func() bool {
		out, err := c.ask("sinfo", "--noheader", "--Node", "--states="+state, "--format=%N")
		return err == nil && len(strings.Fields(out)) == count
	})
}

// await waits for a condition. If it does not come, await fails the test with the output of the daemons.
func (c *Cluster) await(what string, is func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), upTime)
	defer cancel()
	for !is() {
		if clock.Sleep(ctx, clock.Real, lookTime) != nil {
			c.t.Fatalf("no %s within %v:\n%s", what, upTime, c.log())
		}
	}
}

// The accounts of a cluster: slurmdbd on a MariaDB of its own, which listens at a socket in the cluster's folder.

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
