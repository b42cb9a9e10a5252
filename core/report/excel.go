package report

import "io"

// byteOrderMark says to Excel and WPS that a CSV file is UTF-8; without it they
// take it for the system's old code page, and Chinese names for other signs. Other
// programs read the file without it: pandas and R would take the mark into the
// first column's name.
const byteOrderMark = "\ufeff"

// ForExcel writes a CSV table for Excel or WPS: what write writes, marked as UTF-8.
func ForExcel(w io.Writer, write func(io.Writer) error) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	return write(w)
}
