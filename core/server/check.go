package server

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// Availability says whether a placement can run here, and if not, why and what to do.
type Availability struct {
	OK      bool
	Reason  string // one sentence, in English
	Advice  string // one sentence, in English; may be empty
	Command string // to copy and run; may be empty
	Facts   host.Facts
	// Err and AdviceErr are Reason and Advice for text.Catalogue.Error, which says
	// them in any language; nil where the text is empty.
	Err       error
	AdviceErr error
}

// Why is the reason, the advice and the command as one sentence after another, for
// text.Catalogue.Error; nil where the placement can run.
func (a Availability) Why() error {
	if a.Err == nil {
		return nil
	}
	return text.Err("server.unavailable", text.Args{"Reason": a.Err, "Advice": a.AdviceErr, "Command": a.Command}, nil)
}

// checkTime is the most that Check takes.
const checkTime = 2 * time.Second

// Check says whether v can be started on this machine now. It starts nothing
// and takes at most two seconds, or eight where a Docker engine is reached over ssh.
func Check(ctx context.Context, v plan.Variant) Availability {
	most := checkTime
	if choice, err := chosenEngine(); err == nil && overSSH(choice.address) {
		most = sshCheckTime
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	svc, plc, err := pieces(v)
	if err != nil {
		return unavailable(err, nil, "")
	}
	a := plc.check(ctx, svc, v)
	if err := checkWorkDir(defaultWorkDir()); a.OK && err != nil {
		return unavailable(err, nil, "")
	}
	return a
}

// checkWorkDir says why nothing can be written to the folder that servers' folders are made in. A right
// to write is no proof, on a full or read-only file system: a file is made there and removed.
func checkWorkDir(folder string) error {
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(folder, "check-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return text.Err("server.no-work-folder", text.Args{"Folder": folder}, err)
	}
	return nil
}

func unavailable(reason, advice error, command string) Availability {
	a := Availability{Reason: reason.Error(), Err: reason, Command: command}
	if advice != nil {
		a.Advice, a.AdviceErr = advice.Error(), advice
	}
	return a
}

// missingProgram says what to do about the error of findProgram.
func missingProgram(svc service, v plan.Variant, err error) Availability {
	var told *text.Error
	if errors.As(err, &told) && told.ID != "server.no-program" {
		return unavailable(err, nil, "")
	}
	if v.Program != "" {
		return unavailable(err, nil, "") // no package brings what the user named
	}
	command := installCommand(svc.packages())
	if command == "" {
		return unavailable(err, text.Err("server.install-program", text.Args{"Program": svc.program()}, nil), "")
	}
	return unavailable(err, text.Err("server.install-command", nil, nil), command)
}

// installCommand installs a package with the package manager that is here; "" if there is none that is known.
func installCommand(packages map[string]string) string {
	for _, manager := range []struct{ name, command string }{
		{"apt-get", "sudo apt-get install "}, {"dnf", "sudo dnf install "}, {"pacman", "sudo pacman -S "},
		{"zypper", "sudo zypper install "}, {"brew", "brew install "},
	} {
		if _, err := exec.LookPath(manager.name); err == nil && packages[manager.name] != "" {
			return manager.command + packages[manager.name]
		}
	}
	return ""
}
