package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"berth/core/host"
	"berth/core/plan"
)

// A service is what is placed: a kind of server, wherever it runs.
type service interface {
	// program is the name of the service's own server program.
	program() string
	// packages names the package that has the program, by package manager.
	packages() map[string]string
	// port is where such a server listens by custom.
	port() int
	// account is who clients are and the database that they use; empty where the service has none.
	account() (user, schema string)
	// furnish does once in a run, after the placement's own preparation, what all
	// servers of v's program or image share: the data that each starts with.
	furnish(ctx context.Context, l *Launcher, v plan.Variant, say sayer) error
	// needs are the paths of this machine's files that the server reads besides those in
	// its folder; an error where the user's own configuration cannot be read.
	needs(v plan.Variant) (paths []string, err error)
	// starts says whether a program that an image starts is such a server's.
	starts(program string) bool
	// prepare writes what the server needs into its folder and returns the
	// command, as the server's own file system has its parts.
	prepare(ctx context.Context, s setting) (argv []string, err error)
	// ask asks once whether the server at e answers, and says why not.
	ask(ctx context.Context, e Endpoint) error
	// describe is what the server at e says of itself.
	describe(ctx context.Context, e Endpoint) (host.Facts, error)
	// byHand is the command with which a person would start the same, with
	// nothing of Berth's: no password, no private folder.
	byHand(s setting) []string
	// anywhere is a command that anybody with Docker can run to have such a server.
	anywhere(f host.Facts) string
}

// A setting is what a placement decided for one server before it is prepared.
type setting struct {
	variant  plan.Variant
	program  string // path, as the server's own file system has it
	folder   string // the server's private folder on this machine
	seen     string // the same folder as the server sees it
	bind     string // the address that it listens on
	port     int
	password string
	// published says that the server listens on an address that is not
	// loopback, behind something that is.
	published bool
	facts     host.Facts // of the server; prepare adds its own
	secrets   *secrets   // that its log may hold; prepare adds its own

	root bool // the server runs as root, where it is

	// Of a service that is furnished: the data that it starts with, and how.
	master *master
	mysql  MySQLOptions
}

// secrets are passwords that are not to be seen in what is quoted of a server's log.
type secrets struct{ all []string }

func (s *secrets) add(more ...string) { s.all = append(s.all, more...) }

// newPassword draws 128 random bits.
func newPassword() string {
	var b [16]byte
	// crypto/rand.Read never fails: it ends the program rather.
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
