package server

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// standIn is a small server that Berth brings along and starts as a process of
// its own, so that somebody with neither Redis nor Docker can see what Berth
// does. It is not Redis, and its figures say nothing about Redis.
type standIn struct{}

func (standIn) check(ctx context.Context, svc service, v plan.Variant) Availability {
	return Availability{OK: true, Facts: host.Facts{}}
}

func (standIn) prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error {
	return nil
}

func (standIn) start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, text.Err("server.not-started", text.Args{"Label": v.Label, "Program": svc.program()}, err)
	}
	port, err := l.port()
	if err != nil {
		return nil, err
	}
	folder, err := l.newFolder()
	if err != nil {
		return nil, err
	}
	password := newPassword()
	set := setting{variant: v, program: program, folder: folder, seen: folder, bind: l.host, port: port,
		password: password, secrets: &secrets{[]string{password}}, facts: host.Facts{"network.path": "loopback"}}
	command, err := svc.prepare(ctx, set)
	var p *process
	if err == nil {
		p, err = spawn(l, command, folder)
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, text.Err("server.not-started", text.Args{"Label": v.Label, "Program": svc.program()}, err)
	}
	s := l.newServer(v, p, folder, set.secrets)
	s.Endpoint = Endpoint{Network: "tcp", Address: net.JoinHostPort(l.host, strconv.Itoa(port)), Password: set.password}
	s.PIDs = []int{p.id.PID}
	s.Facts = set.facts
	s.Flags = []string{result.FlagStandIn}
	return s, nil
}

// standInService is what the stand-in placement places: it answers Redis's
// protocol as Redis does, and is prepared and described in its own way.
type standInService struct{ redisService }

func (standInService) program() string { return "miniredis" }

func (standInService) needs(plan.Variant) ([]string, error) { return nil, nil }

// standInConfig is the file in the server's folder that tells it where to listen; with
// the password, which is thus in no process list.
const standInConfig = "stand-in.json"

type standInSetting struct {
	Address  string `json:"address"`
	Password string `json:"password"`
}

func (standInService) prepare(ctx context.Context, s setting) ([]string, error) {
	raw, err := json.Marshal(standInSetting{net.JoinHostPort(s.bind, strconv.Itoa(s.port)), s.password})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.folder, standInConfig)
	return []string{s.program, StandInCommand, path}, os.WriteFile(path, raw, 0o600)
}

func (r standInService) describe(ctx context.Context, e Endpoint) (host.Facts, error) {
	f, err := r.redisService.describe(ctx, e)
	if err != nil {
		return nil, err
	}
	f["redis.name"], f["redis.version"], f["redis.persistence"] = r.program(), miniredisVersion(), plan.PersistenceNone
	return f, nil
}
