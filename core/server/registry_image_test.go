package server

import (
	"io"
	"strings"
	"testing"
)

func TestErrorInTheEnginesProgressIsAnError(t *testing.T) {
	messages := `{"status":"Pulling from library/redis","id":"7.2"}
{"status":"Downloading","progressDetail":{"current":10,"total":100},"id":"a"}
{"errorDetail":{"message":"no space left on device"},"error":"no space left on device"}
`
	if err := drain(io.NopCloser(strings.NewReader(messages)), nil); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error: %v", err)
	}
	cut := messages[:len(messages)-20]
	if err := drain(io.NopCloser(strings.NewReader(cut)), nil); err == nil {
		t.Error("progress that is cut off passes as done")
	}
}
