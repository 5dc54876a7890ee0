package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// fingerprintEdge is how much of each end of a transcript goes into its fingerprint, in bytes.
const fingerprintEdge = 256 << 10

// Fingerprint is a SHA-256 over the length and both ends of the file: a transcript only ever grows, so any message that
// is added changes it, and a large one need not be read whole.
func (t *File) Fingerprint() (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d\n", t.Size)
	edge := min(t.Size, fingerprintEdge)
	for _, from := range []int64{0, t.Size - edge} {
		if _, err := io.Copy(h, io.NewSectionReader(t.f, from, edge)); err != nil {
			return "", fmt.Errorf("reading %s: %w", t.Path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
