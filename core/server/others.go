package server

import (
	"os"
	"path/filepath"
)

// Others are the pids of other Berths of this user that have servers now, as far as
// their records in the same WorkDir tell: their load spoils each other's figures. It takes well under a millisecond.
func (l *Launcher) Others() []int {
	folders, err := os.ReadDir(l.options.WorkDir)
	if err != nil {
		return nil
	}
	var pids []int
	for _, f := range folders {
		if !f.IsDir() || f.Name() == l.launch.ID {
			continue
		}
		record, err := os.Open(filepath.Join(l.options.WorkDir, f.Name(), recordName))
		if err != nil {
			continue
		}
		other := replay(record)
		record.Close()
		if !other.done && other.launch.Owner.runsBeside(l.launch.Owner) {
			pids = append(pids, other.launch.Owner.PID)
		}
	}
	return pids
}

// runsBeside reports whether o is certainly running now, where me is.
func (o owner) runsBeside(me owner) bool {
	return o.Machine == me.Machine && o.Boot == me.Boot && o.Namespace == me.Namespace && o.alive()
}
