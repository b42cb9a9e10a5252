package server

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
)

// hostLinks are the names in / that are links into /usr where a distribution has merged them.
var hostLinks = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}

// sendingTime is how long a program and its libraries may take to an engine over a network.
const sendingTime = 5 * time.Minute

// makeHostImage makes an image called name with nothing in it but empty folders and
// this machine's own links into /usr, for a container in which /usr is this machine's.
func (e *engine) makeHostImage(ctx context.Context, name string) error {
	if _, made := e.images[name]; made {
		return nil
	}
	var archive bytes.Buffer
	t := tar.NewWriter(&archive)
	if err := addFolders(t); err != nil {
		return err
	}
	for _, link := range hostLinks {
		if target, err := os.Readlink("/" + link); err == nil {
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: link, Linkname: target, Mode: 0o777}); err != nil {
				return err
			}
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return e.importImage(ctx, name, &archive)
}

// imageFolders are the folders that every image of Berth's has.
var imageFolders = []string{"usr", "etc", "proc", "sys", "dev", "run", "tmp", strings.Trim(inside, "/")}

func addFolders(t *tar.Writer) error {
	for _, folder := range imageFolders {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755}); err != nil {
			return err
		}
	}
	return nil
}

// importImage makes an image of an archive, with the launch's labels.
func (e *engine) importImage(ctx context.Context, name string, archive io.Reader) error {
	var changes []string
	for key, value := range e.labels {
		changes = append(changes, fmt.Sprintf("LABEL %s=%q", key, value))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	creating, cancel := lettingThrough(ctx)
	if e.isRemote() { // the way there may be slow
		cancel()
		creating, cancel = context.WithTimeout(context.WithoutCancel(ctx), sendingTime)
	}
	defer cancel()
	reply, err := e.api.ImageImport(creating, image.ImportSource{Source: obedient{archive, ctx}, SourceName: "-"}, name, image.ImportOptions{Changes: changes})
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if err = drain(reply, nil); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	made, err := e.api.ImageInspect(ctx, name)
	if err == nil {
		e.images[name] = made
	}
	return err
}

// hostMounts are this machine's folders that its own program needs, read-only.
func hostMounts(ctx context.Context, program string) []mount.Mount {
	folders := []string{"/usr"}
	for _, name := range hostLinks {
		if info, err := os.Lstat("/" + name); err == nil && info.IsDir() {
			folders = append(folders, "/"+name)
		}
	}
	folders = append(folders, outsideUsr(program, linkedLibraries(ctx, program))...)
	// The dynamic linker's list of libraries that are not where it looks first.
	const linkerCache = "/etc/ld.so.cache"
	if _, err := os.Stat(linkerCache); err == nil {
		folders = append(folders, linkerCache)
	}
	var mounts []mount.Mount
	for _, f := range folders {
		mounts = append(mounts, mount.Mount{Type: mount.TypeBind, Source: f, Target: f, ReadOnly: true})
	}
	return mounts
}

// outsideUsr are the folders that a program of this machine needs and that do not
// lie in /usr: its own, and those of the libraries it is linked with.
func outsideUsr(program string, libraries []string) []string {
	var folders []string
	add := func(folder string) {
		if folder != "/" && !under(folder, "/usr") && !slices.ContainsFunc(hostLinks, func(l string) bool { return under(folder, "/"+l) }) &&
			!slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, path := range append([]string{program}, libraries...) {
		add(filepath.Dir(path))
		if real, err := filepath.EvalSymlinks(path); err == nil {
			add(filepath.Dir(real))
		}
	}
	return folders
}

func under(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// linkedLibraries are the files that ldd says a program is linked with; none if it is static.
func linkedLibraries(ctx context.Context, program string) []string {
	out, err := exec.CommandContext(ctx, "ldd", program).Output()
	if err != nil {
		return nil
	}
	var files []string
	for line := range strings.Lines(string(out)) {
		// name => /path (address), or /path (address)
		for _, word := range strings.Fields(line) {
			if path.IsAbs(word) {
				files = append(files, word)
			}
		}
	}
	return files
}
