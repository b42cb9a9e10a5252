package figure

import (
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/text"
)

// origin says where the figure comes from.
func (v *view) origin() string {
	parts := []string{"Berth " + v.run.Berth}
	if v.run.ID != "" {
		parts = append(parts, v.text.T("figure.run", text.Args{"ID": v.run.ID}))
	}
	if len(v.run.Events) > 0 {
		parts = append(parts, v.run.Events[0].At.Format("2006-01-02 15:04"))
	}
	return strings.Join(parts, " · ")
}

func (v *view) labels() []string {
	var out []string
	for _, w := range v.variants {
		out = append(out, w.label)
	}
	return out
}

// durability says what the servers of these variants kept on disk: a figure of a server
// that keeps nothing is no figure of one that does.
func (v *view) durability(labels []string) []string {
	var order []string                // what is said, in the variants' order
	variants := map[string][]string{} // by what is said
	for _, label := range labels {
		said := v.persistence(label)
		if said == "" {
			continue
		}
		if !slices.Contains(order, said) {
			order = append(order, said)
		}
		variants[said] = append(variants[said], v.name(label))
	}
	if len(order) == 0 {
		return nil
	}
	if len(order) == 1 && len(variants[order[0]]) == len(labels) {
		return []string{v.text.T("figure.durability", text.Args{"What": order[0]})}
	}
	var parts []string
	for _, said := range order {
		parts = append(parts, said+" ("+strings.Join(variants[said], ", ")+")")
	}
	return []string{v.text.T("figure.durability", text.Args{"What": strings.Join(parts, v.text.T("figure.semicolon"))})}
}

// persistence of the last server of a variant that said what it is.
func (v *view) persistence(label string) string {
	service, kept, flush := "", "", ""
	for _, s := range v.run.Servers {
		if s.Variant == label && s.Facts["redis.persistence"] != "" {
			kept = s.Facts["redis.persistence"]
			service = "Redis"
			if name := s.Facts["redis.name"]; name != "" && name != "redis" {
				service = name // a stand-in, or another that speaks Redis's protocol
			}
			service = strings.TrimSpace(service + " " + s.Facts["redis.version"])
		}
		if f := s.Facts["mysql.innodb_flush_log_at_trx_commit"]; s.Variant == label && f != "" {
			flush = f
			service = mysqlName(s.Facts["mysql.version"])
		}
	}
	if flush != "" {
		if slices.Contains([]string{"0", "1", "2"}, flush) {
			flush = v.text.T("figure.persistence.mysql-" + flush)
		}
		return service + v.text.T("figure.comma") + flush
	}
	if kept == "" {
		return ""
	}
	if slices.Contains([]string{plan.PersistenceNone, "snapshots", "unknown", plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo}, kept) {
		kept = v.text.T("figure.persistence." + kept)
	}
	return service + v.text.T("figure.comma") + kept
}

// mysqlName is "MySQL 8.4.3" or "MariaDB 10.11.6" of what a server calls its version.
func mysqlName(version string) string {
	number, rest, _ := strings.Cut(version, "-")
	if strings.Contains(rest, "MariaDB") {
		return "MariaDB " + number
	}
	return strings.TrimSpace("MySQL " + number)
}
