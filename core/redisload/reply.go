package redisload

import "errors"

// errNotRESP says that what came back is not the Redis protocol.
var errNotRESP = errors.New("the reply is not in the Redis protocol")

const (
	maxDepth     = 16  // arrays in arrays; COMMAND DOCS, the deepest reply of Redis, has 7
	maxErrorText = 160 // bytes kept of an error reply
	maxLength    = 1 << 48
)

// A reply is what is known of a reply once it has been passed over.
type reply struct {
	failed   bool  // an error
	null     bool  // a nil, bulk or array
	elements int64 // of the outermost array; 0 for anything else
}

// A skipper passes over replies without keeping them. It takes the bytes of
// one connection in pieces, as they are received, cut anywhere, and allocates
// nothing. RESP2 and RESP3 as https://redis.io/docs/latest/develop/reference/protocol-spec/
// has them, but for streamed values and attributes, which Redis does not send.
type skipper struct {
	reply reply // the last one that was completed
	state skipState
	kind  byte  // first byte of the value that is being read
	minus bool  // its number has a sign
	open  bool  // its number has a digit
	num   int64 // its number so far, then the bytes of a bulk still to come
	depth int
	left  [maxDepth]int64 // elements still to come, by depth
	text  [maxErrorText]byte
	size  int // bytes in text
}

type skipState byte

const (
	atKind     skipState = iota // the first byte of a value
	inNumber                    // a length or an integer
	numberEnd                   // its \n
	inLine                      // a simple string or an error
	inBulk                      // the bytes of a bulk string
	bulkReturn                  // its \r
	bulkEnd                     // its \n
)

// errorText is the text of the error reply that was completed last, without
// its minus. It is valid until the next call.
func (p *skipper) errorText() []byte { return p.text[:p.size] }

// next passes over b up to the end of one reply, and says how many bytes that
// took and whether the reply is complete. Not complete means that all of b
// was used. The only error is errNotRESP, after which p is of no more use.
func (p *skipper) next(b []byte) (used int, complete bool, err error) {
	i := 0
	for i < len(b) {
		switch p.state {
		case atKind:
			if p.depth == 0 {
				p.reply = reply{}
			}
			if end := whole(b, i); end > 0 {
				i = end
				if p.value() {
					return i, true, nil
				}
				continue
			}
			if !p.begin(b[i]) {
				return i, false, errNotRESP
			}
			i++
		case inNumber:
			c := b[i]
			i++
			switch {
			case c >= '0' && c <= '9':
				p.open = true
				p.num = p.num*10 + int64(c-'0')
				if p.num > maxLength && p.kind != ':' {
					return i, false, errNotRESP
				}
			case c == '-' && !p.open && !p.minus, c == '+' && !p.open && !p.minus && p.kind == ':':
				p.minus = c == '-'
			case c == '\r' && p.open:
				p.state = numberEnd
			default:
				return i, false, errNotRESP
			}
		case numberEnd:
			if b[i] != '\n' {
				return i, false, errNotRESP
			}
			i++
			done, ok := p.number()
			if !ok {
				return i, false, errNotRESP
			}
			if done {
				return i, true, nil
			}
		case inLine:
			c := b[i]
			i++
			if c != '\n' {
				if p.kind == '-' && p.depth == 0 && c != '\r' && p.size < len(p.text) {
					p.text[p.size] = c
					p.size++
				}
				continue
			}
			if p.value() {
				return i, true, nil
			}
		case inBulk:
			n := min(p.num, int64(len(b)-i))
			if p.kind == '!' && p.depth == 0 {
				p.size += copy(p.text[p.size:], b[i:i+int(n)])
			}
			p.num -= n
			i += int(n)
			if p.num == 0 {
				p.state = bulkReturn
			}
		case bulkReturn, bulkEnd:
			if b[i] != "\r\n"[p.state-bulkReturn] {
				return i, false, errNotRESP
			}
			i++
			if p.state == bulkReturn {
				p.state = bulkEnd
			} else if p.value() {
				return i, true, nil
			}
		}
	}
	return i, false, nil
}

// whole is the end of the value that begins at b[i], when that value is one of
// the common ones, a +OK or a short bulk string, and lies in b to its end; else 0.
func whole(b []byte, i int) int {
	switch b[i] {
	case '$':
		n := 0
		j := i + 1
		for ; j < len(b) && j < i+10; j++ {
			c := b[j] - '0'
			if c > 9 {
				break
			}
			n = n*10 + int(c)
		}
		end := j + n + 4
		if j == i+1 || end > len(b) || b[j] != '\r' || b[j+1] != '\n' || b[end-2] != '\r' || b[end-1] != '\n' {
			return 0
		}
		return end
	case '+':
		if i+5 <= len(b) && b[i+1] == 'O' && b[i+2] == 'K' && b[i+3] == '\r' && b[i+4] == '\n' {
			return i + 5
		}
	}
	return 0
}

// begin starts a value by its first byte.
func (p *skipper) begin(kind byte) bool {
	p.kind, p.num, p.minus, p.open = kind, 0, false, false
	switch kind {
	case '+', ',', '#', '(', '_':
		p.state = inLine
		p.reply.null = p.depth == 0 && kind == '_'
	case '-':
		p.state = inLine
		if p.depth == 0 {
			p.reply.failed, p.size = true, 0
		}
	case '!':
		p.state = inNumber
		if p.depth == 0 {
			p.reply.failed, p.size = true, 0
		}
	case ':', '$', '*', '%', '~', '=', '>':
		p.state = inNumber
	default:
		return false
	}
	return true
}

// number acts on a whole length or integer: done says that it completed a
// reply, ok that it can be one.
func (p *skipper) number() (done, ok bool) {
	switch p.kind {
	case ':':
		return p.value(), true
	case '$', '=', '!':
		if !p.minus {
			p.state = inBulk
			if p.num == 0 {
				p.state = bulkReturn
			}
			return false, true
		}
	}
	if p.minus {
		if p.num != 1 || (p.kind != '$' && p.kind != '*') {
			return false, false
		}
		p.reply.null = p.depth == 0
		return p.value(), true
	}
	elements := p.num
	if p.kind == '%' {
		elements *= 2
	}
	if p.depth == 0 {
		p.reply.elements = elements
	}
	if elements == 0 {
		return p.value(), true
	}
	if p.depth == maxDepth {
		return false, false
	}
	if p.kind == '>' {
		if p.depth > 0 {
			return false, false
		}
		// A push message is no reply: the outermost level never completes one.
		elements = -elements
	}
	p.left[p.depth] = elements
	p.depth++
	p.state = atKind
	return false, true
}

// value closes a value and the arrays that end with it, and says whether that
// completed a reply.
func (p *skipper) value() bool {
	p.state = atKind
	for p.depth > 0 {
		top := &p.left[p.depth-1]
		if *top < 0 {
			*top++
			if *top < 0 {
				return false
			}
			p.depth--
			return false
		}
		*top--
		if *top > 0 {
			return false
		}
		p.depth--
	}
	return true
}
