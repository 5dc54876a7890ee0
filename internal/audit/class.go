package audit

// Class says what a call does to the world outside the session that made it.
type Class string

// The three classes. Read: provably changes nothing (caches and access times aside) and sends nothing but a plain
// query. Write: changes a file, process, repository, service, schedule or another session, or sends data out.
// Unknown: all else.
const (
	Read    Class = "read"
	Unknown Class = "unknown"
	Write   Class = "write"
)

// rank orders the classes; a value that is none of the three counts as Unknown, so that a broken table makes nothing
// better.
func (c Class) rank() int {
	switch c {
	case Read:
		return 0
	case Write:
		return 2
	default:
		return 1
	}
}

// Worse returns the worse of two classes, in the order read, unknown, write.
func (c Class) Worse(d Class) Class {
	if d.rank() > c.rank() {
		return d
	}
	return c
}

// Judgement is what was found out about one call.
type Judgement struct {
	Class   Class
	Reason  string // why, in words; names the part that decided
	Network bool   // some part talks to the network, whatever the class
	Summary string // what the call is: the command, the path, the URL; raw text, to be escaped before it is shown
}

// verdict is the class of one part, with the words for it.
type verdict struct {
	class   Class
	reason  string
	network bool
}

func read(reason string) verdict    { return verdict{class: Read, reason: reason} }
func write(reason string) verdict   { return verdict{class: Write, reason: reason} }
func unknown(reason string) verdict { return verdict{class: Unknown, reason: reason} }

// fetches is a read that goes over the network.
func fetches(reason string) verdict { return verdict{class: Read, reason: reason, network: true} }

// worse joins two parts: the worse class with its reason, the first one on a tie.
func (v verdict) worse(o verdict) verdict {
	network := v.network || o.network
	if o.class.rank() > v.class.rank() || v.reason == "" && o.class == v.class {
		v = o
	}
	v.network = network
	return v
}

// atLeast raises v to class c for a reason of its own.
func (v verdict) atLeast(c Class, reason string) verdict {
	return v.worse(verdict{class: c, reason: reason})
}
