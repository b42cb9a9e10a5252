//go:build !linux

package oltp

import "time"

// canBlock says whether blockingDialer works here.
const canBlock = false

var blockingDialer dialer = plainDialer

func sleep(d time.Duration) { time.Sleep(d) }
