//go:build !headless

package window

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/widget"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/server"
)

func TestTheMySQLBaselineRunsWhereTheFormSays(t *testing.T) {
	w := open(t, &fakeCore{})
	w.setup.modes[plan.MySQL].check.SetChecked(true)
	w.rest()
	place := func(mode string) plan.Variant {
		t.Helper()
		w.form.MySQL.Placement = mode
		p, fault := w.form.plan(w.words)
		if fault != nil {
			t.Fatal(fault.err)
		}
		v, ok := p.Variant(plan.MySQL)
		if !ok {
			t.Fatalf("no MySQL in %+v", p.Variants)
		}
		return v
	}
	w.form.MySQL.Address, w.form.MySQL.User, w.form.MySQL.Password, w.form.MySQL.Schema = "db1:3307", "me", "secret", "mine"
	for _, mode := range mysqlPlacements() {
		v := place(mode)
		if v.Service != plan.MySQL || v.Placement != mode || (v.Host != "") != (mode == plan.Existing) {
			t.Errorf("%s gives %+v", mode, v)
		}
	}
	if v := place(plan.Existing); v.Host != "db1" || v.Port != 3307 || v.User != "me" || v.Password != "secret" || v.Schema != "mine" {
		t.Errorf("it is %+v", v)
	}
	w.form.MySQL.Address = "db1:no"
	if _, fault := w.form.plan(w.words); fault == nil || fault.entry != "mysql_address" {
		t.Errorf("a port that is none: %+v", fault)
	}
	w.form.MySQL.Address = "db1:3307"
	w.close()
	if kept := w.app.Preferences().String(keyForm); strings.Contains(kept, "secret") {
		t.Error("the password was kept")
	}
	again := reopen(t, w.app, &fakeCore{})
	if f := again.form.MySQL; f.Placement != plan.Existing || f.Address != "db1:3307" || f.User != "me" || f.Schema != "mine" || f.Password != "" {
		t.Errorf("came back as %+v", f)
	}
}

func TestTheMySQLBaselineSaysHowMuchLongerTheRunIsForIt(t *testing.T) {
	w := open(t, &fakeCore{})
	row := w.setup.modes[plan.MySQL]
	longer := func() time.Duration {
		t.Helper()
		p, fault := w.form.plan(w.words)
		if fault != nil {
			t.Fatal(fault.err)
		}
		return p.Expected()
	}
	said, without := row.cost.Text, longer()
	row.check.SetChecked(true)
	w.rest()
	if want := "+" + clock(longer()-without); said != want || row.cost.Text != want {
		t.Errorf("said %q, ticked %q, want %q", said, row.cost.Text, want)
	}
	w.setup.load.entries["rounds"].SetText("none")
	if row.cost.Text != "" {
		t.Errorf("of a form with a fault it says %q", row.cost.Text)
	}
}

func TestTheMySQLConnectionIsTried(t *testing.T) {
	c := &fakeCore{off: map[string]server.Availability{}}
	w := open(t, c)
	w.form.MySQL.Placement, w.form.MySQL.Schema = plan.Existing, "mine"
	for want, a := range map[string]server.Availability{
		"Connected: 10.11.6-MariaDB, database mine.": {OK: true, Facts: host.Facts{"mysql.version": "10.11.6-MariaDB"}},
		"does not let user":                          {Err: errors.New("db does not let user sbtest in")},
	} {
		c.off[plan.Existing] = a
		var got string
		w.testMySQL(func(sentence string, _ widget.Importance) { got = sentence })
		w.rest()
		if !strings.Contains(got, want) {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}
