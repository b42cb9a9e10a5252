package cli

import (
	"errors"
	"io"
	"syscall"
)

// An outlet is standard output that remembers what could not be written. A reader that
// goes before the end, as head does, has had what it wants.
type outlet struct {
	io.Writer
	err error
}

func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil && !errors.Is(err, syscall.EPIPE) {
		o.err = err
	}
	return n, err
}
