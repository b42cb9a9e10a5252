//go:build !headless

package window

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/plan"
)

// shellCommands is p as redis-benchmark would be told it, a line for each payload, pipeline
// and number of clients, to be run against each server.
func shellCommands(p plan.Plan) string {
	tests := slices.Clone(p.Load.Tests)
	for i := range tests {
		tests[i] = strings.ToLower(tests[i])
	}
	port := "PORT"
	if p.Port > 0 {
		port = fmt.Sprint(p.Port)
	}
	requests := "N"
	if p.Load.Requests > 0 {
		requests = fmt.Sprint(p.Load.Requests)
	}
	var lines []string
	for _, payload := range p.Load.PayloadBytes {
		for _, pipeline := range p.Load.Pipelines {
			for _, clients := range p.Load.Clients {
				line := fmt.Sprintf("redis-benchmark -h %s -p %s -c %d -n %s -d %d -P %d -t %s -q",
					p.Host, port, clients, requests, payload, pipeline, strings.Join(tests, ","))
				if p.Load.Keyspace > 0 {
					line += fmt.Sprintf(" -r %d", p.Load.Keyspace)
				}
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}
