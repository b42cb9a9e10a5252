package server

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/image"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/text"
)

// mariadbImageFiles are what this machine's MariaDB needs to be set up and to serve.
func mariadbImageFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	add := func(path string) {
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	for _, name := range []string{"mariadbd", mariadbInstaller, "my_print_defaults", "resolveip",
		"sh", "sed", "cat", "dirname", "basename", "mkdir", "chmod", "chown", "hostname", "uname", "rm", "awk"} {
		path := besidePath(name)
		if path == "" {
			t.Fatalf("no %s on this machine", name)
		}
		add(path)
		for _, library := range linkedLibraries(t.Context(), path) {
			add(library)
		}
	}
	err := filepath.WalkDir("/usr/share/mysql", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			add(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pushMariadbImage pushes an image that is laid out as the official ones are: an entry program that
// sets a database up by itself, the server's name after it, a user, a data folder that is a volume.
func pushMariadbImage(t *testing.T, name, server string) {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, folder := range []struct {
		name string
		mode int64
	}{{"tmp", 0o1777}, {"var/lib/mysql", 0o1777}, {"etc", 0o755}, {"usr/local/bin", 0o755}} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder.name + "/", Mode: folder.mode}); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name string, raw []byte, mode int64) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: strings.TrimPrefix(name, "/"), Mode: mode, Size: int64(len(raw))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(raw); err != nil {
			t.Fatal(err)
		}
	}
	put("etc/passwd", []byte("root:x:0:0::/:/bin/sh\nmysql:x:999:999::/:/bin/sh\n"), 0o644)
	// Berth starts the server itself: whoever starts this has lost.
	put("usr/local/bin/docker-entrypoint.sh", []byte("#!/bin/sh\necho the entry program was started\nexit 97\n"), 0o755)
	for _, path := range mariadbImageFiles(t) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(path, raw, 0o755)
		if filepath.Base(path) == "mariadbd" && server != "mariadbd" {
			put(filepath.Join(filepath.Dir(path), server), raw, 0o755)
		}
		if filepath.Base(path) == "sh" && filepath.Dir(path) != "/bin" {
			put("/bin/sh", raw, 0o755)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	e := testEngine(t)
	reply, err := e.api.ImageImport(t.Context(), image.ImportSource{Source: &archive, SourceName: "-"}, name, image.ImportOptions{Changes: []string{
		`ENTRYPOINT ["docker-entrypoint.sh"]`, `CMD ["` + server + `"]`, "ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "VOLUME /var/lib/mysql", "EXPOSE 3306"}})
	if err == nil {
		err = drain(reply, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer removeImage(t, name)
	if reply, err = e.api.ImagePush(t.Context(), name, image.PushOptions{RegistryAuth: "e30="}); err == nil { // {}
		err = drain(reply, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMySQLOfARegistryImageIsPulledWithItsProgressAndServesInEveryPlacement(t *testing.T) {
	need.Docker(t)
	l, filled := newMySQLLauncher(t)
	name := startRegistry(t) + "/mariadb-test:" + l.launch.ID
	pushMariadbImage(t, name, "mariadbd")
	if hasImage(t, name) {
		t.Fatal("the image is here already: nothing would be pulled")
	}
	defer removeImage(t, name)
	pulled := 0
	for _, placement := range dockerPlacements {
		v := mysqlVariant(placement)
		v.Image = name
		if err := l.Prepare(t.Context(), []plan.Variant{v}, func(s string) {
			if strings.HasPrefix(s, "Pulling "+name+": ") && strings.Contains(s, " MB") {
				pulled++
			}
		}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s, err := l.Start(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if n := mysqlRows(t, s.Endpoint); n != 3 {
				t.Errorf("%s starts with %d rows, want 3", placement, n)
			}
			if err := mysqlExec(t.Context(), s.Endpoint, "INSERT INTO kept VALUES (4)"); err != nil {
				t.Fatal(err)
			}
			if s.Facts["image.digest"] == "" || s.Facts["mysql.version"] == "" || s.Facts["mysql.innodb_buffer_pool_size"] != "33554432" || s.Facts["mysql.log_bin"] != "OFF" {
				t.Errorf("%s: facts %v", placement, s.Facts)
			}
			e := s.Endpoint
			e.User, e.Password = "root", ""
			if err := (mysqlService{}).ask(t.Context(), e); err == nil {
				t.Errorf("%s lets root in without a password", placement)
			}
			t.Logf("%s by %s in %v:\n%s", s.Endpoint.Address, s.Facts["network.path"], s.Ready, strings.Join(s.Commands, "\n"))
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *filled != 1 || pulled < 1 {
		t.Errorf("the data was made %d times, and progress in bytes told %d times", *filled, pulled)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if !hasImage(t, name) {
		t.Error("the pulled image went: the next run would have to pull it again")
	}
}

// MySQL's official image names mysqld; which of the two a program is, it says itself.
func TestAnImageThatNamesMysqldIsAskedWhichOfTheTwoItIs(t *testing.T) {
	need.Docker(t)
	l, _ := newMySQLLauncher(t)
	name := startRegistry(t) + "/mysql-test:" + l.launch.ID
	pushMariadbImage(t, name, "mysqld")
	defer removeImage(t, name)
	v := mysqlVariant(plan.DockerNAT)
	v.Image = name
	s := start(t, l, v)
	if !strings.Contains(s.Facts["program.version"], "MariaDB") || !strings.HasPrefix(s.Facts["program.version"], "mysqld") {
		t.Errorf("it says of itself %q", s.Facts["program.version"])
	}
}

func TestAnImageWithoutSuchAServerIsToldInASentence(t *testing.T) {
	need.Docker(t)
	l, _ := newMySQLLauncher(t)
	name := "berth-test-redis:" + l.launch.ID
	importRedisImage(t, name)
	defer removeImage(t, name)
	v := mysqlVariant(plan.DockerNAT)
	v.Image = name
	err := l.Prepare(t.Context(), []plan.Variant{v}, nil)
	var told *text.Error
	if !errors.As(err, &told) || told.ID != "server.mysql-image-program" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error: %v", err)
	}
	t.Log(err)
	out, _ := exec.Command("docker", "ps", "-aq", "--filter", "label="+labelLaunch+"="+l.launch.ID).Output()
	if len(out) > 0 {
		t.Errorf("a container is left: %s", out)
	}
}
