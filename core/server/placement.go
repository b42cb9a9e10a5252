// Package server starts servers: a service (what is placed: Redis or MySQL) in a placement (where and how it runs: a
// process, a container, somebody's own server). N services and M placements are
// N + M pieces of code: a service says how it is prepared, asked whether it is
// ready, and described; a placement says where its command goes. The package
// knows nothing of load.
//
// A Launcher starts one run's servers and leaves nothing of them behind: what it
// starts it first tells to its guard, a child process that ends everything when
// the Launcher's process dies, and writes to a record that the next start reads
// should the guard have died too.
//
// Data goes: plan.Variant → Launcher → service × placement → Server → run.
package server

import (
	"context"

	"berth/core/plan"
	"berth/core/text"
)

// A placement is where and how a service runs.
type placement interface {
	// check says whether v can be started here now. It starts nothing.
	check(ctx context.Context, svc service, v plan.Variant) Availability
	// prepare does once in a run what need not be repeated at every start.
	prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error
	// start starts v and returns before it answers. What it starts, the guard has been told of.
	start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error)
}

// pieces finds the service and the placement that v names.
func pieces(v plan.Variant) (service, placement, error) {
	var svc service
	switch v.Service {
	case plan.Redis:
		svc = redisService{}
	case plan.MySQL:
		svc = mysqlService{}
	default:
		return nil, nil, text.Err("server.unknown-service", text.Args{"Label": v.Label, "Service": v.Service}, nil)
	}
	switch v.Placement {
	case plan.Native:
		return svc, native{}, nil
	case plan.Pinned:
		return svc, pinned{}, nil
	case plan.DockerNAT:
		return svc, docker{dockerNAT{}}, nil
	case plan.DockerDirect:
		return svc, docker{dockerDirect{}}, nil
	case plan.DockerHost:
		return svc, docker{dockerHost{}}, nil
	case plan.Existing:
		return svc, existing{}, nil
	case plan.StandIn:
		return standInService{}, standIn{}, nil
	}
	return nil, nil, text.Err("server.unknown-placement", text.Args{"Label": v.Label, "Placement": v.Placement}, nil)
}
