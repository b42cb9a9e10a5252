package server

import (
	"context"
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

// checkTime is the most that Check takes.
const checkTime = 2 * time.Second

// Check says whether v can be started on this machine now. It starts nothing
// and takes at most two seconds.
func Check(ctx context.Context, v plan.Variant) Availability {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	svc, plc, err := pieces(v)
	if err != nil {
		return unavailable(err, nil, "")
	}
	return plc.check(ctx, svc, v)
}

func unavailable(reason, advice error, command string) Availability {
	a := Availability{Reason: reason.Error(), Err: reason, Command: command}
	if advice != nil {
		a.Advice, a.AdviceErr = advice.Error(), advice
	}
	return a
}

func missingProgram(svc service, err error) Availability {
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
