//go:build !headless

package window

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/plan"
)

// shellCommands is p as redis-benchmark would be told it, a line for each load, payload,
// pipeline and number of clients, to be run against each server. It has no rates.
func shellCommands(p plan.Plan) string {
	var lines []string
	for _, l := range p.Loads {
		lines = append(lines, loadCommands(p, l)...)
	}
	return strings.Join(lines, "\n")
}

func loadCommands(p plan.Plan, l plan.Load) []string {
	tests := slices.Clone(l.Tests)
	for i := range tests {
		tests[i] = strings.ToLower(tests[i])
	}
	port := "PORT"
	if p.Port > 0 {
		port = fmt.Sprint(p.Port)
	}
	requests := "N"
	if l.Requests > 0 {
		requests = fmt.Sprint(l.Requests)
	}
	var lines []string
	for _, payload := range l.PayloadBytes {
		for _, pipeline := range l.Pipelines {
			for _, clients := range l.Clients {
				line := fmt.Sprintf("redis-benchmark -h %s -p %s -c %d -n %s -d %d -P %d -t %s -q",
					p.Host, port, clients, requests, payload, pipeline, strings.Join(tests, ","))
				if l.Keyspace > 0 {
					line += fmt.Sprintf(" -r %d", l.Keyspace)
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}
