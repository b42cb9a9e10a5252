package redisload

import (
	"errors"
	"strings"
)

// A Test is one line of a suite.
type Test struct {
	Name  string // "LRANGE_100"
	Title string // as redis-benchmark prints it: "LRANGE_100 (first 100 elements)"
}

// Suite lists a suite's tests in redis-benchmark's order.
func Suite(name string) ([]Test, error) {
	var all []Test
	for n := range strings.SplitSeq("PING_INLINE,PING_BULK,SET,GET,INCR,LPUSH,LPOP,SADD,SPOP,LPUSH_FOR_LRANGE,LRANGE_100,LRANGE_300,LRANGE_500,LRANGE_600,MSET", ",") {
		all = append(all, Test{n, n})
	}
	if name != "classic" && name != "modern" {
		return nil, errors.New("no such suite")
	}
	return all, nil
}

// Lookup finds a test of a suite by its name or title, in any case.
func Lookup(suite, test string) (Test, error) {
	all, _ := Suite(suite)
	for _, t := range all {
		if strings.EqualFold(t.Name, test) {
			return t, nil
		}
	}
	return Test{}, errors.New("no such test")
}
