//go:build !linux

package redisload

// newEngine is the engine that serves a job: here always the portable one.
func newEngine(job Job, test Test, c clock) engine { return newPortable(job, test, c) }
