package cli

import (
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"berth/core/redisload"
	"berth/core/text"
)

// loadOptions are redis-benchmark's options by their names, Valkey's --rps, --duration and
// --warmup, and Berth's own. Their short names are redis-benchmark's; those of
// two and more letters that it does not have are Berth's.
type loadOptions struct {
	flags *pflag.FlagSet
	words *text.Catalogue

	job            redisload.Job // what all tests have in common, as far as it needs no reading
	host           string
	port           int
	socket         string
	uri            string
	useTLS         bool
	tls            redisload.TLS
	keepAlive      int
	tests          string
	threads        string
	seed           int64
	seconds        float64
	warmUp         float64
	prefill        bool
	suite          string
	compat         string
	quiet          bool
	csv            bool
	json           bool
	loop           bool
	idle           bool
	lastFromStdin  bool
	help, version  bool
	command        []string // of the user's own, after the options
	warnings       []string // of values that were not taken as they are
	threadsAreAuto bool
	threaded       bool // their number was chosen
	cluster        bool
}

// autoThreads is the value of --threads that leaves their number to Berth.
const autoThreads = "auto"

func newLoadOptions(words *text.Catalogue) *loadOptions {
	o := &loadOptions{words: words, flags: pflag.NewFlagSet("load", pflag.ContinueOnError)}
	f, j := o.flags, &o.job
	f.SetOutput(io.Discard)
	f.SortFlags = false
	f.SetInterspersed(false) // what comes after the options is the command
	say := func(name string) string { return words.T("cli.load-" + name) }

	f.StringVarP(&o.host, "host", "h", "127.0.0.1", say("host"))
	f.VarP(decimal(&o.port, 6379), "port", "p", say("port"))
	f.StringVarP(&o.socket, "socket", "s", "", say("socket"))
	f.StringVarP(&j.Target.Password, "pass", "a", "", say("pass"))
	f.StringVar(&j.Target.User, "user", "", say("user"))
	f.StringVarP(&o.uri, "uri", "u", "", say("uri"))
	f.Var(decimal(&j.Target.Database, 0), "dbnum", say("dbnum"))
	f.BoolVarP(&j.RESP3, "resp3", "3", false, say("resp3"))
	f.BoolVar(&j.Tracking, "enable-tracking", false, say("tracking"))
	f.BoolVar(&o.useTLS, "tls", false, say("tls"))
	f.StringVar(&o.tls.ServerName, "sni", "", say("sni"))
	f.StringVar(&o.tls.CACert, "cacert", "", say("cacert"))
	f.StringVar(&o.tls.CACertDir, "cacertdir", "", say("cacertdir"))
	f.BoolVar(&o.tls.InsecureSkipVerify, "insecure", false, say("insecure"))
	f.StringVar(&o.tls.Cert, "cert", "", say("cert"))
	f.StringVar(&o.tls.Key, "key", "", say("key"))
	f.StringVar(&o.tls.Ciphers, "tls-ciphers", "", say("tls-ciphers"))
	f.StringVar(&o.tls.CipherSuites, "tls-ciphersuites", "", say("tls-ciphersuites"))

	f.VarP(decimal(&j.Clients, 50), "clients", "c", say("clients"))
	f.VarP(decimal(&j.Requests, 100_000), "requests", "n", say("requests"))
	f.Float64Var(&o.seconds, "duration", 0, say("duration"))
	f.Float64Var(&o.warmUp, "warmup", 0, say("warmup"))
	f.Float64Var(&j.Rate, "rps", 0, say("rps"))
	f.VarP(decimal(&j.PayloadBytes, 3), "payload", "d", say("payload"))
	f.VarP(decimal(&j.Pipeline, 1), "pipeline", "P", say("pipeline"))
	f.VarP(decimal(&j.Keyspace, 0), "keyspace", "r", say("keyspace"))
	f.VarP(decimal(&o.keepAlive, 1), "keepalive", "k", say("keepalive"))
	f.StringVar(&o.threads, "threads", "0", say("threads"))
	f.BoolVar(&o.cluster, "cluster", false, say("cluster"))
	f.Var(decimal(&o.seed, 0), "seed", say("seed"))
	f.StringVar(&j.Prefix, "prefix", "", say("prefix"))
	f.BoolVar(&o.prefill, "prefill", false, say("prefill"))

	f.StringVarP(&o.tests, "tests", "t", "", say("tests"))
	f.StringVar(&o.suite, "suite", redisload.Modern, say("suite"))
	f.StringVar(&o.compat, "compat", redisload.Compat7, say("compat"))
	f.BoolVarP(&o.quiet, "quiet", "q", false, say("quiet"))
	f.BoolVar(&o.csv, "csv", false, say("csv"))
	f.BoolVar(&o.json, "json", false, say("json"))
	f.BoolVarP(&o.loop, "loop", "l", false, say("loop"))
	f.BoolVarP(&o.idle, "idle", "I", false, say("idle"))
	f.BoolVarP(&o.lastFromStdin, "stdin", "x", false, say("stdin"))
	// Taken, and without an effect: errors are always told, and latencies
	// always have three digits.
	f.BoolP("errors", "e", false, say("taken"))
	f.Int("precision", 3, say("taken"))
	f.BoolVar(&o.help, "help", false, words.T("cli.help"))
	f.BoolVarP(&o.version, "version", "v", false, words.T("cli.version"))
	return o
}

// read takes the arguments of berth load; in is for -x.
func (o *loadOptions) read(args []string, in io.Reader) error {
	if err := o.flags.Parse(args); err != nil {
		return unusable(err)
	}
	if o.help || o.version {
		return nil
	}
	given := o.flags.Changed
	if o.compat != redisload.Compat28 && o.compat != redisload.Compat7 {
		return text.Err("cli.load-no-compat", text.Args{"Given": o.compat}, nil)
	}
	if o.compat == redisload.Compat28 && !given("suite") {
		o.suite = redisload.Classic
	}
	j := &o.job
	o.clamp()
	if o.seconds != 0 && !given("requests") {
		j.Requests = 0
	}
	j.Duration, j.WarmUp = time.Duration(o.seconds*float64(time.Second)), time.Duration(o.warmUp*float64(time.Second))
	j.Reconnect = o.keepAlive == 0
	j.Prepare, j.Cleanup = o.prefill, o.prefill
	j.Seed = uint64(o.seed)
	if !given("seed") {
		j.Seed = uint64(time.Now().UnixNano())
	}
	j.Suite = o.suite
	if err := o.readThreads(); err != nil {
		return err
	}
	if err := o.readTarget(); err != nil {
		return err
	}
	if j.Target.User != "" && j.Target.Password == "" {
		o.warn("user-alone", nil) // and, as redis-benchmark does, AUTH is not sent
	}
	return o.readCommand(in)
}

// clamp takes numbers below the least that makes sense as redis-benchmark does,
// so that a script runs unchanged, and warns of each.
func (o *loadOptions) clamp() {
	j := &o.job
	least(o, "payload", &j.PayloadBytes, 1)
	least(o, "pipeline", &j.Pipeline, 1)
	least(o, "clients", &j.Clients, 1)
	least(o, "keyspace", &j.Keyspace, 0)
	if o.flags.Changed("keyspace") && j.Keyspace == 0 {
		j.Keyspace = 1 // all digits 0, where without -r the mark itself is sent
	}
}

// least raises the value of an option that was given to low.
func least[N int | int64](o *loadOptions, name string, value *N, low N) {
	if !o.flags.Changed(name) || *value >= low {
		return
	}
	o.warn("clamped", text.Args{"Option": "-" + o.flags.Lookup(name).Shorthand, "Given": int64(*value), "Taken": int64(low)})
	*value = low
}

func (o *loadOptions) warn(id string, args text.Args) {
	o.warnings = append(o.warnings, o.words.T("cli.load-"+id, args))
}

// unusable is an error of the options as a sentence.
func unusable(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		option := "--" + invalid.GetFlag().Name
		if short := invalid.GetFlag().Shorthand; short != "" {
			option = "-" + short
		}
		return text.Err("cli.load-value", text.Args{"Option": option, "Value": invalid.GetValue()}, nil)
	}
	return text.Err("cli.flag", text.Args{"Command": "berth load"}, err)
}

// readThreads takes redis-benchmark's 0, which means one thread, and "auto".
func (o *loadOptions) readThreads() error {
	if o.threads == autoThreads {
		o.threadsAreAuto = true
		return nil
	}
	n, err := strconv.Atoi(o.threads)
	if err != nil {
		return text.Err("cli.load-no-threads", text.Args{"Given": o.threads}, nil)
	}
	switch {
	case n < 0:
		o.warn("clamped", text.Args{"Option": "--threads", "Given": n, "Taken": 0})
		n = 0
	case n > redisload.MaxThreads:
		o.warn("clamped", text.Args{"Option": "--threads", "Given": n, "Taken": redisload.MaxThreads})
		n = redisload.MaxThreads
	}
	o.job.Threads, o.threaded = max(1, n), n > 0
	return nil
}

func (o *loadOptions) readTarget() error {
	t := &o.job.Target
	if o.uri != "" {
		if err := o.readURI(t); err != nil {
			return err
		}
	}
	if o.port < 1 || o.port > 65535 {
		return text.Err("cli.load-no-port", text.Args{"Port": o.port}, nil)
	}
	t.Network, t.Address = "tcp", net.JoinHostPort(strings.Trim(o.host, "[]"), strconv.Itoa(o.port))
	if o.socket != "" {
		t.Network, t.Address = "unix", o.socket
	}
	if o.useTLS {
		t.TLS = &o.tls
	}
	return nil
}

// readURI takes redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE], and rediss:// for TLS.
func (o *loadOptions) readURI(t *redisload.Target) error {
	refuse := func(cause error) error { return text.Err("cli.load-no-uri", nil, cause) }
	u, err := url.Parse(o.uri)
	if err != nil {
		// The whole of it is not repeated: it may hold a password.
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return refuse(err)
	}
	switch u.Scheme {
	case "redis":
	case "rediss":
		o.useTLS = true
	default:
		return refuse(errors.New("scheme " + strconv.Quote(u.Scheme)))
	}
	if password, both := u.User.Password(); both {
		t.User, t.Password = u.User.Username(), password
	} else if u.User != nil {
		t.Password = u.User.Username()
	}
	if name := u.Hostname(); name != "" {
		o.host = name
	}
	if port := u.Port(); port != "" {
		if o.port, err = strconv.Atoi(port); err != nil {
			return refuse(err)
		}
	}
	if database := strings.Trim(u.Path, "/"); database != "" {
		if t.Database, err = strconv.Atoi(database); err != nil {
			return refuse(err)
		}
	}
	return nil
}

func (o *loadOptions) readCommand(in io.Reader) error {
	o.command = o.flags.Args()
	if len(o.command) == 0 || !o.lastFromStdin {
		return nil
	}
	last, err := io.ReadAll(in)
	if err != nil {
		return text.Err("cli.load-no-stdin", nil, err)
	}
	o.command = append(slices.Clone(o.command), string(last))
	return nil
}

// A testJob is a test, and the job that carries it out.
type testJob struct {
	test  redisload.Test
	title string // as it is printed
	job   redisload.Job
	// shownBytes is the payload that a report shows.
	shownBytes int
}

// jobs are the tests that the options choose, in order, each of them possible.
func (o *loadOptions) jobs() ([]testJob, error) {
	var all []testJob
	if len(o.command) > 0 {
		j := testJob{test: redisload.Custom(o.command), job: o.job, shownBytes: redisload.CustomBytes(o.command)}
		j.title = text.Printable(strings.Join(o.flags.Args(), " ")) // without what came from standard input
		j.job.Args = o.command
		if slices.ContainsFunc(o.command, func(a string) bool { return strings.Contains(a, "__data__") }) {
			j.shownBytes = o.job.PayloadBytes
		}
		all = append(all, j)
	} else {
		tests, err := o.choose()
		if err != nil {
			return nil, err
		}
		for _, test := range tests {
			j := testJob{test: test, title: test.Title, job: o.job, shownBytes: o.job.PayloadBytes}
			j.job.Test = test.Name
			all = append(all, j)
		}
	}
	for _, j := range all {
		if err := redisload.Check(j.job); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// spread has the load go to a cluster's masters, on a thread for each unless the number of
// threads was chosen.
func (o *loadOptions) spread(jobs []testJob, masters []redisload.Master) error {
	if !o.threadsAreAuto && !o.threaded {
		o.job.Threads, o.threaded = min(len(masters), redisload.MaxThreads), true
	}
	for i := range jobs {
		j := &jobs[i].job
		j.Masters, j.Threads = masters, o.job.Threads
		if err := redisload.Check(*j); err != nil {
			return err
		}
	}
	return nil
}

// choose is the tests that -t chooses. As redis-benchmark does, names that it
// does not know are passed over, but with a warning.
func (o *loadOptions) choose() ([]redisload.Test, error) {
	if !o.flags.Changed("tests") {
		return redisload.Suite(o.suite)
	}
	var known, unknown []string
	for name := range strings.SplitSeq(o.tests, ",") {
		switch _, err := redisload.Select(o.suite, []string{name}); {
		case strings.TrimSpace(name) == "":
		case redisload.Kind(err) == "unknown-test":
			unknown = append(unknown, name)
		case err != nil:
			return nil, err
		default:
			known = append(known, name)
		}
	}
	all, err := redisload.Suite(o.suite)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	args := text.Args{"Given": strings.Join(unknown, ", "), "Suite": o.suite, "Known": strings.Join(names, ", ")}
	if len(known) == 0 {
		return nil, text.Err("cli.load-no-tests", args, nil)
	}
	if len(unknown) > 0 {
		o.warn("unknown-tests", args)
	}
	return redisload.Select(o.suite, known)
}

// decimal makes *to an option with the default value. Its digits are decimal as
// redis-benchmark reads them: a script's 010 is ten, and 0x10 no number.
func decimal[N int | int64](to *N, value N) pflag.Value {
	*to = value
	return &decimalValue[N]{to}
}

type decimalValue[N int | int64] struct{ to *N }

func (d *decimalValue[N]) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || int64(N(n)) != n {
		return strconv.ErrSyntax
	}
	*d.to = N(n)
	return nil
}

func (d *decimalValue[N]) String() string { return strconv.FormatInt(int64(*d.to), 10) }
func (d *decimalValue[N]) Type() string   { return "int" }
