package redisload

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// An exact is a string that JSON gives back byte for byte: one that is not UTF-8 travels as
// {"base64": …}, since encoding/json would replace its bytes.
type exact string

type encoded struct {
	Base64 string `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		return json.Marshal(string(e))
	}
	return json.Marshal(encoded{base64.StdEncoding.EncodeToString([]byte(e))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(e))
	}
	var other encoded
	if err := json.Unmarshal(b, &other); err != nil {
		return err
	}
	s, err := base64.StdEncoding.DecodeString(other.Base64)
	*e = exact(s)
	return err
}

// The bytes that a user gave are sent as they are, so a Job and a Target keep these fields exact.

type plainJob Job

type jobJSON struct {
	*plainJob
	Args   []exact `json:"args,omitempty"`
	Prefix exact   `json:"prefix,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (j Job) MarshalJSON() ([]byte, error) {
	all := jobJSON{plainJob: (*plainJob)(&j), Prefix: exact(j.Prefix)}
	for _, a := range j.Args {
		all.Args = append(all.Args, exact(a))
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *Job) UnmarshalJSON(b []byte) error {
	all := jobJSON{plainJob: (*plainJob)(j)}
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	j.Prefix, j.Args = string(all.Prefix), nil
	for _, a := range all.Args {
		j.Args = append(j.Args, string(a))
	}
	return nil
}

type plainTarget Target

type targetJSON struct {
	*plainTarget
	User     exact `json:"user,omitempty"`
	Password exact `json:"password,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (t Target) MarshalJSON() ([]byte, error) {
	return json.Marshal(targetJSON{(*plainTarget)(&t), exact(t.User), exact(t.Password)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Target) UnmarshalJSON(b []byte) error {
	all := targetJSON{plainTarget: (*plainTarget)(t)}
	err := json.Unmarshal(b, &all)
	t.User, t.Password = string(all.User), string(all.Password)
	return err
}
