package server

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// sharesBlocks says whether copies of files in a folder share their blocks (reflinks), and so cost next to nothing.
func sharesBlocks(folder string) bool {
	from, err := os.CreateTemp(folder, "share-*")
	if err != nil {
		return false
	}
	defer os.Remove(from.Name())
	defer from.Close()
	to, err := os.Create(filepath.Join(folder, "shared"))
	if err != nil {
		return false
	}
	defer os.Remove(to.Name())
	defer to.Close()
	_, err = from.Write(make([]byte, 4096))
	return err == nil && unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil
}
