//go:build !linux

package oltp

import (
	"context"
	"net"
	"time"
)

// canBlock says whether blockingDialer works here.
const canBlock = false

func blockingDialer(ctx context.Context, network, address string) (net.Conn, error) {
	return plainDialer(ctx, network, address)
}

func sleep(d time.Duration) { time.Sleep(d) }
