package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"berth/core/oltp"
	"berth/core/redisload"
	"berth/core/text"
)

// An Error is why a job failed, made fit for a line of JSON. It unwraps to the
// catalogue's sentence, so that the parent can show it in any language.
type Error struct {
	Kind  string    `json:"kind,omitempty"` // redisload's or oltp's name of the case ("noauth", "access-denied", ...)
	Text  string    `json:"text"`           // English
	ID    string    `json:"id,omitempty"`   // of the sentence in the catalogue
	Args  text.Args `json:"args,omitempty"`
	Cause *Error    `json:"cause,omitempty"`
}

func (e *Error) Error() string { return e.Text }

// Unwrap is the sentence of the catalogue, or what caused e where it has none.
func (e *Error) Unwrap() error {
	var cause error
	if e.Cause != nil {
		cause = e.Cause
	}
	if e.ID == "" {
		return cause
	}
	return text.Err(e.ID, e.Args, cause)
}

// newError is err with its causes, as far as they are sentences of the catalogue.
func newError(err error) *Error {
	e := &Error{Kind: cmp.Or(redisload.Kind(err), oltp.Kind(err)), Text: err.Error()}
	if e.Kind == "" && errors.Is(err, context.Canceled) {
		e.Kind = redisload.KindCancelled
	}
	var sentence *text.Error
	if !errors.As(err, &sentence) {
		return e
	}
	e.ID, e.Args = sentence.ID, text.Args{}
	for key, value := range sentence.Args {
		e.Args[key] = plain(value)
	}
	if sentence.Err != nil {
		e.Cause = newError(sentence.Err)
	}
	return e
}

// plain is what a template would print of value, where JSON would print something else.
func plain(value any) any {
	switch v := value.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return value
}
