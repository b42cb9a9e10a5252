//go:build !headless

package window

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/text"
)

// A mysqlForm is where the MySQL baseline runs, and how an existing server is reached.
type mysqlForm struct {
	Placement string `json:"placement"`
	Address   string `json:"address"` // host:port, or a socket's path
	User      string `json:"user"`
	Schema    string `json:"schema"`
	Password  string `json:"-"`
}

func newMySQLForm() mysqlForm {
	return mysqlForm{Placement: plan.Native, Address: "127.0.0.1:3306", User: "sbtest", Schema: "sbtest"}
}

// mysqlPlacements are all but the stand-in, which is no MySQL.
func mysqlPlacements() []string {
	return slices.DeleteFunc(slices.Clone(plan.Placements), func(p string) bool { return p == plan.StandIn })
}

// take fills the form from the plan's MySQL.
func (f *mysqlForm) take(v plan.Variant) {
	f.Placement = v.Placement
	if v.Placement != plan.Existing {
		return
	}
	f.Address = net.JoinHostPort(v.Host, strconv.Itoa(v.Port))
	if v.Socket != "" {
		f.Address = v.Socket
	}
	f.User, f.Schema, f.Password = v.User, v.Schema, v.Password
}

// variant is v, placed as the form says.
func (f mysqlForm) variant(v plan.Variant, read *reader) plan.Variant {
	if f.Placement == v.Placement && v.Placement != plan.Existing || f.Placement == "" {
		return v
	}
	v.Placement, v.CPUs = f.Placement, ""
	v.Host, v.Port, v.Socket, v.User, v.Password, v.Schema = "", 0, "", "", "", ""
	if !v.InDocker() {
		v.Image = ""
	}
	if v.Placement == plan.Existing {
		v.Host, v.Port, v.Socket = read.address("mysql_address", f.Address, "3306")
		v.User, v.Schema, v.Password = strings.TrimSpace(f.User), strings.TrimSpace(f.Schema), f.Password
	}
	return v
}

// mysqlForm asks where the baseline runs and, of an existing server, how it is reached.
func (r *modeRow) mysqlForm() *fyne.Container {
	f, w := &r.s.w.form.MySQL, r.s.w
	address := r.s.load.entry("mysql_address", &f.Address, "127.0.0.1:3306")
	user := r.s.load.entry("mysql_user", &f.User, "sbtest")
	password := r.s.load.entry("mysql_password", &f.Password, w.t("password-hint"))
	password.Password = true
	schema := r.s.load.entry("mysql_schema", &f.Schema, "sbtest")
	answer := note(w.t("mysql-hint"))
	var test *widget.Button
	test = widget.NewButton(w.t("test-connection"), func() {
		test.Disable()
		answer.SetText(w.t("connecting"))
		w.testMySQL(func(sentence string, weight widget.Importance) {
			answer.Importance = weight
			answer.SetText(sentence)
			test.Enable()
		})
	})
	reach := container.NewVBox(
		container.New(layout.NewFormLayout(),
			widget.NewLabel(w.t("entry-mysql_address")), address,
			widget.NewLabel(w.t("entry-user")), user,
			widget.NewLabel(w.t("entry-password")), password,
			widget.NewLabel(w.t("entry-mysql_schema")), schema),
		container.NewBorder(nil, nil, test, nil, answer))
	var names []string
	for _, p := range mysqlPlacements() {
		names = append(names, w.modeName(p))
	}
	place := widget.NewSelect(names, nil)
	place.SetSelectedIndex(max(0, slices.Index(mysqlPlacements(), f.Placement)))
	show := func() {
		if f.Placement == plan.Existing {
			reach.Show()
		} else {
			reach.Hide()
		}
	}
	show()
	place.OnChanged = func(string) {
		f.Placement = mysqlPlacements()[place.SelectedIndex()]
		show()
		r.ask()
		r.s.changed()
	}
	where := container.New(layout.NewFormLayout(), widget.NewLabel(w.t("entry-mysql_placement")), place)
	return container.NewBorder(nil, nil, indent(), nil, container.NewVBox(where, reach))
}

// testMySQL reaches the existing MySQL server beside the window and answers with a sentence.
func (w *window) testMySQL(answer func(string, widget.Importance)) {
	read := reader{words: w.words}
	v := w.form.variant(plan.MySQL, &read)
	if read.err != nil {
		answer(w.words.Error(read.err), widget.DangerImportance)
		return
	}
	w.beside(func(ctx context.Context) {
		a := w.core.Available(ctx, v)
		w.do(func() {
			if !a.OK {
				answer(w.words.Error(a.Err), widget.DangerImportance)
				return
			}
			answer(w.t("mysql-connected", text.Args{"Version": a.Facts["mysql.version"], "Database": v.Schema}), widget.SuccessImportance)
		})
	})
}
