package redisload

import (
	"strings"
	"testing"
)

// skipped passes over text in pieces of so many bytes and lists the replies.
func skipped(text string, piece int) (replies []reply, texts []string, err error) {
	var p skipper
	for b := []byte(text); len(b) > 0; {
		one := b[:min(piece, len(b))]
		b = b[len(one):]
		for len(one) > 0 {
			used, complete, err := p.next(one)
			if err != nil {
				return replies, texts, err
			}
			one = one[used:]
			if complete {
				replies = append(replies, p.reply)
				if p.reply.failed {
					texts = append(texts, string(p.errorText()))
				}
			}
		}
	}
	return replies, texts, nil
}

func TestRepliesAreToldApartHoweverTheyAreCut(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []reply
	}{
		{"simple", "+OK\r\n+PONG\r\n", []reply{{}, {}}},
		{"integers", ":0\r\n:-12\r\n:+7\r\n", []reply{{}, {}, {}}},
		{"bulks", "$3\r\nabc\r\n$0\r\n\r\n$-1\r\n", []reply{{}, {}, {null: true}}},
		{"a bulk that looks like a reply", "$7\r\n+OK\r\n-E\r\n", []reply{{}}},
		{"errors", "-ERR no\r\n+OK\r\n-OOM full\r\n", []reply{{failed: true}, {}, {failed: true}}},
		{"arrays", "*2\r\n$1\r\na\r\n$-1\r\n*0\r\n*-1\r\n", []reply{{elements: 2}, {}, {null: true}}},
		{"nested", "*2\r\n*1\r\n*1\r\n:1\r\n*0\r\n+OK\r\n", []reply{{elements: 2}, {}}},
		{"an error in an array is no failed reply", "*1\r\n-ERR in\r\n", []reply{{elements: 1}}},
		{"RESP3", "%1\r\n+a\r\n:1\r\n~1\r\n#t\r\n_\r\n,1.5\r\n(123\r\n=5\r\ntxt:x\r\n!3\r\nERR\r\n",
			[]reply{{elements: 2}, {elements: 1}, {null: true}, {}, {}, {}, {failed: true}}},
		{"a push is no reply", ">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n+OK\r\n", []reply{{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for piece := 1; piece <= len(c.text); piece++ {
				got, _, err := skipped(c.text, piece)
				if err != nil || len(got) != len(c.want) {
					t.Fatalf("in pieces of %d: %v, %v, want %v", piece, got, err, c.want)
				}
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("in pieces of %d: reply %d is %+v, want %+v", piece, i, got[i], c.want[i])
					}
				}
			}
		})
	}
}

func TestWhatIsNotRedisIsNoticed(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 400 Bad Request\r\n", "\r\n", "$3\r\nabcd\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n", ":\r\n", ":1-\r\n",
		"$99999999999999999999\r\n", "*1\r\n>1\r\n+x\r\n", "%-1\r\n", strings.Repeat("*1\r\n", maxDepth+1),
	} {
		for _, piece := range []int{1, 2, 3, len(text)} {
			if got, _, err := skipped(text, piece); err == nil {
				t.Errorf("%q in pieces of %d passes as %v", text, piece, got)
			}
		}
	}
}

func TestErrorTextIsKeptUpToItsLimit(t *testing.T) {
	long := "ERR " + strings.Repeat("long ", 100)
	_, texts, err := skipped("-"+long+"\r\n-MISCONF short\r\n", 7)
	if err != nil || len(texts) != 2 || texts[0] != long[:maxErrorText] || texts[1] != "MISCONF short" {
		t.Errorf("%q, %v", texts, err)
	}
}

// FuzzRepliesCutAnywhere holds the skipper to this: it never panics, and
// where the bytes are cut changes nothing of what it finds.
func FuzzRepliesCutAnywhere(f *testing.F) {
	for _, seed := range []string{
		"+OK\r\n", "$3\r\nabc\r\n", "*2\r\n:1\r\n$-1\r\n", "-ERR x\r\n", "%1\r\n+a\r\n_\r\n", ">1\r\n+p\r\n:1\r\n",
		"!3\r\nERR\r\n", "=5\r\ntxt:x\r\n", "*1\r\n*1\r\n*0\r\n", "$0\r\n\r\n", "$000000003\r\nabc\r\n",
	} {
		f.Add(seed, 1)
		f.Add(seed+seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, piece int) {
		if piece < 1 {
			piece = 1
		}
		whole, wholeTexts, wholeErr := skipped(text, len(text)+1)
		cut, cutTexts, cutErr := skipped(text, piece)
		if (wholeErr == nil) != (cutErr == nil) || len(whole) != len(cut) || strings.Join(wholeTexts, "\n") != strings.Join(cutTexts, "\n") {
			t.Fatalf("whole: %v %q %v; in pieces of %d: %v %q %v", whole, wholeTexts, wholeErr, piece, cut, cutTexts, cutErr)
		}
		for i := range whole {
			if whole[i] != cut[i] {
				t.Fatalf("reply %d is %+v whole, %+v in pieces", i, whole[i], cut[i])
			}
		}
	})
}

func BenchmarkSkipper(b *testing.B) {
	for name, text := range map[string]string{
		"OK":         "+OK\r\n",
		"bulk100":    "$100\r\n" + strings.Repeat("x", 100) + "\r\n",
		"LRANGE_100": "*100\r\n" + strings.Repeat("$100\r\n"+strings.Repeat("x", 100)+"\r\n", 100),
	} {
		b.Run(name, func(b *testing.B) {
			var p skipper
			reply := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				if used, complete, err := p.next(reply); used != len(reply) || !complete || err != nil {
					b.Fatal(used, complete, err)
				}
			}
		})
	}
}
