package stats

import "berth/core/result"

// Summarize gives a row for each variant and workload, compared with the
// variant labelled reference ("" is the plan's), in the plan's order.
func Summarize(r *result.Run, reference string) []result.SummaryRow { return nil }

// Compare gives every comparison with the reference: the first family (one
// geometric mean over all tests for each variant), then single tests.
func Compare(r *result.Run, reference string) []result.ComparisonRow { return nil }
