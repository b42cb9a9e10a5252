package result

import (
	"errors"
	"os"
	"path/filepath"

	"berth/core/text"
)

// LockFolder has the folder dir for this process's run alone until release is called: two that replace
// one run would leave files of both. It is an error that the log in it is being written.
func LockFolder(dir string) (release func(), err error) {
	inUse := func(cause error) error {
		return text.Err("result.log-in-use", text.Args{"Path": filepath.Join(dir, LogName)}, cause)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, text.Err("result.folder-unwritable", text.Args{"Path": dir}, err)
	}
	// A file system that locks no folders still locks the log.
	if err := lockFolder(folder); errors.Is(err, errLocked) {
		folder.Close()
		return nil, inUse(err)
	}
	if log, err := os.OpenFile(filepath.Join(dir, LogName), os.O_RDWR, 0); err == nil {
		err = lock(log)
		log.Close()
		if errors.Is(err, errLocked) {
			folder.Close()
			return nil, inUse(err)
		}
	}
	return func() { folder.Close() }, nil
}
