package figure

import (
	"os"
	"path/filepath"
	"testing"
)

func TestScenes(t *testing.T) {
	dir := os.Getenv("OUT")
	for _, s := range scenes() {
		f, err := s.draw()
		if err != nil {
			t.Error(err)
			continue
		}
		w, _ := os.Create(filepath.Join(dir, s.name+".png"))
		if err := f.PNG(w); err != nil {
			t.Error(err)
		}
		w.Close()
		w, _ = os.Create(filepath.Join(dir, s.name+".svg"))
		if err := f.SVG(w); err != nil {
			t.Error(err)
		}
		w.Close()
	}
}
