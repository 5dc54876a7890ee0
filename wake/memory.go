package wake

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Bytes of memory that a woken session takes, and that stay free for the machine itself.
const (
	perSession    = 250 << 20
	memoryReserve = 1 << 30
	// bigTranscript is where a load is told to cost several times the transcript's size.
	bigTranscript = 50 << 20
)

// MemAvailable reads MemAvailable from /proc/meminfo, in bytes.
func MemAvailable() (int64, error) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, fmt.Errorf("reading the free memory: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("reading the free memory: %w", err)
			}
			return kb << 10, nil
		}
	}
	return 0, fmt.Errorf("reading the free memory: /proc/meminfo has no MemAvailable")
}

// Fit is how many more sessions fit into the memory that is available, in bytes, with the reserve left free.
func Fit(available int64) int {
	return int(max(available-memoryReserve, 0) / perSession)
}
