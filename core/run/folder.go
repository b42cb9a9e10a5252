package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	// xdg knows each system's folder for a program's data.
	"github.com/adrg/xdg"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// Folder is where every run is kept, a folder each, named by its ID.
func Folder() string { return filepath.Join(xdg.DataHome, "berth", "runs") }

// CheckFolder says why no run can be kept in Folder().
func CheckFolder() error {
	err := os.MkdirAll(Folder(), 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(Folder(), ".check-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return text.Err("run.folder-unwritable", text.Args{"Folder": Folder()}, err)
	}
	return nil
}

// Kept are the logs of the runs that are kept, the last started first.
func Kept() []string {
	entries, err := os.ReadDir(Folder())
	if err != nil {
		return nil // no run yet
	}
	var logs []string
	for _, e := range slices.Backward(entries) {
		path := filepath.Join(Folder(), e.Name(), result.LogName)
		if _, err := os.Stat(path); err == nil {
			logs = append(logs, path)
		}
	}
	return logs
}

// Keep keeps the events of a whole run, the first of which has its ID, as if they had happened here.
func Keep(events []result.Event) (*result.Run, error) {
	r := &result.Run{}
	for _, e := range events {
		r.Add(e)
	}
	r.Path = filepath.Join(Folder(), r.ID, result.LogName)
	log, err := result.Create(r.Path)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if err := log.Append(e); err != nil {
			log.Discard()
			return nil, err
		}
	}
	return r, log.Close()
}

// Latest is the log of the run that was started last; "" if there is none.
func Latest() string {
	if kept := Kept(); len(kept) > 0 {
		return kept[0]
	}
	return ""
}

// NewID names a run of p that starts now: "20261130-202551-quick-1f3a". Names
// sort by time.
func NewID(p plan.Plan) string {
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(p.Name))
	if word == "" {
		word = "run"
	}
	return fmt.Sprintf("%s-%.40s-%04x", time.Now().UTC().Format("20060102-150405"), word, rand.N(1<<16))
}
