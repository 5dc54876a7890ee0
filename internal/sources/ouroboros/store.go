package ouroboros

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite/vfs"

	"recovery/internal/sources/files"
)

// How a store is read. SQLite never sees the disk: it reads through a file system of two files, the database and its
// write-ahead log, which are opened here for reading only. There is no way in it to write, to create or to delete, so
// the folder of a store stays as it is, with a live writer, after a crash, and without permission to write. In
// exclusive locking mode SQLite builds the index of the log in memory, so the -shm file is not needed, and what is
// only in the log is seen.
//
// Such a reader takes no lock that a writer would see. So the store is compared before and after: when the database
// or the head of its log changed meanwhile, what was read is thrown away and read again. A store that changes all the
// time is read once more with the two shared locks held that keep a writer from moving its log into the database,
// which is what any reader of SQLite's own holds, too.

const (
	tries = 2 // reads without a lock before the log is held still
	// settle is how long a file must have been unchanged for its time to tell one write from the next: file systems
	// stamp with the time of the last clock tick.
	settle   = 20 * time.Millisecond
	lockWait = 2 * time.Second // for a writer of the older journal mode that holds the whole database
	lockPoll = 5 * time.Millisecond
)

// Byte ranges of SQLite's own locks: in the database file, and in the -shm file
// (https://www.sqlite.org/src/file/src/os.h, wal.c): the lock of a checkpoint, and that of the last of five places
// for readers.
const (
	pendingByte  = 0x40000000
	reservedByte = pendingByte + 1
	sharedByte   = pendingByte + 2
	sharedLen    = 510
	shmLocks     = 120
	checkpointAt = shmLocks + 1
	lastReaderAt = shmLocks + 3 + 4
)

var errChanged = errors.New("the store changed while it was read")

// view is one open store.
type view struct {
	conn       *sql.Conn
	indexes    []string
	statements map[string]*sql.Stmt
	known      map[string]map[string]bool // by aggregate type, the ids that have events
}

// read calls use with a consistent view of the store at path, which is a real path without links. Errors are
// causeErrors where the cause is known. use is called again from the beginning when the store changed under it.
func read(path string, use func(*view) error) error {
	for i := 0; ; i++ {
		err := readOnce(path, i >= tries, use)
		if !errors.Is(err, errChanged) {
			return err
		}
		if i > tries {
			return causeError{"it is being written to faster than it can be read", "try again when its writer rests"}
		}
	}
}

func readOnce(path string, hold bool, use func(*view) error) error {
	db, _, err := files.Open(path)
	if err != nil {
		return cause(err, path)
	}
	defer db.Close()
	if hold {
		release := holdLog(path + "-shm")
		defer release()
	}
	before, err := settled(db)
	if err != nil {
		return cause(err, path)
	}
	if before.Size() == 0 {
		return causeError{"it is empty: a database without the table of events",
			"look for the store that Ouroboros uses, or remove the empty file"}
	}
	mode, err := journalMode(db)
	if err != nil {
		return err
	}
	wal, head, err := openLog(path + "-wal")
	if err != nil {
		return err
	}
	if wal != nil {
		defer wal.Close()
	}
	if mode == rollback {
		if err := waitForWriter(db, path+"-journal"); err != nil {
			return err
		}
		if before, err = settled(db); err != nil {
			return cause(err, path)
		}
	}
	err = query(&twoFiles{db: db, wal: wal, walSize: head.size, needsLog: mode == writeAhead}, use)
	after, statErr := db.Stat()
	switch {
	case statErr != nil:
		return cause(statErr, path)
	case before.Size() != after.Size(), !before.ModTime().Equal(after.ModTime()), !head.same(path+"-wal", wal):
		return errChanged
	case mode == rollback && held(db):
		return errChanged
	}
	return sqlCause(err)
}

// settled waits until the file's last change is far enough back for the next one to show.
func settled(f *os.File) (os.FileInfo, error) {
	for range 3 {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if age := time.Since(info.ModTime()); age < 0 || age > settle {
			return info, nil
		}
		time.Sleep(settle)
	}
	return f.Stat()
}

type journaling int

const (
	rollback journaling = iota
	writeAhead
)

// journalMode reads the file's format version: 1 is the rollback journal, 2 the write-ahead log.
// https://www.sqlite.org/fileformat2.html
func journalMode(f *os.File) (journaling, error) {
	head := make([]byte, 100)
	if n, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, causeError{"it cannot be read: " + reason(err), "look at the disk"}
	} else if n < len(head) || string(head[:16]) != "SQLite format 3\x00" {
		return 0, notADatabase
	}
	if head[18] == 2 || head[19] == 2 {
		return writeAhead, nil
	}
	return rollback, nil
}

// logHead is what tells that a write-ahead log is still the one that was opened: its first 32 bytes hold two random
// numbers that change each time it starts over.
type logHead struct {
	bytes [32]byte
	size  int64
}

func openLog(path string) (*os.File, logHead, error) {
	f, info, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, logHead{}, nil
	}
	if err != nil {
		c := cause(err, path)
		return nil, logHead{}, causeError{"its write-ahead log (" + filepath.Base(path) + ") cannot be read: " + c.cause,
			c.next}
	}
	h := logHead{size: info.Size()}
	if _, err := f.ReadAt(h.bytes[:], 0); err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, logHead{}, causeError{"its write-ahead log cannot be read: " + reason(err), "look at the disk"}
	}
	return f, h, nil
}

func (h logHead) same(path string, f *os.File) bool {
	if f == nil {
		info, err := os.Lstat(path)
		return err != nil || info.Size() == 0
	}
	now := logHead{size: h.size}
	if _, err := f.ReadAt(now.bytes[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Size() >= h.size && now == h
}

// waitForWriter waits up to lockWait for a writer of the older journal mode that holds the whole database.
func waitForWriter(db *os.File, journal string) error {
	for start := time.Now(); held(db); time.Sleep(lockPoll) {
		if time.Since(start) > lockWait {
			return causeError{"it is locked by a writer", "try again when its writer is done"}
		}
	}
	if locked(db, reservedByte, 1) {
		return nil // a transaction that has not touched the database file yet
	}
	j, _, err := files.Open(journal)
	if err != nil {
		return nil
	}
	defer j.Close()
	head := make([]byte, 8)
	if n, _ := j.ReadAt(head, 0); n == len(head) && binary.BigEndian.Uint64(head) == 0xd9d505f920a163d7 {
		return causeError{"its last writer died in the middle of a write (" + filepath.Base(journal) +
			" holds what must be put back)",
			"start Ouroboros once, or open a copy of both files with sqlite3: that puts the pages back"}
	}
	return nil
}

// held says whether a writer of the older journal mode keeps readers out.
func held(db *os.File) bool {
	return locked(db, pendingByte, 1) || locked(db, sharedByte, sharedLen)
}

// locked says whether another process holds a write lock on a part of the file. It asks only and takes none.
func locked(f *os.File, at, length int64) bool {
	l := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart, Start: at, Len: length}
	return unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l) == nil && l.Type != unix.F_UNLCK
}

// holdLog takes the two shared locks that keep the log where it is: no checkpoint, no start from its beginning. A
// writer goes on writing at the log's end. It needs no permission to write. What cannot be locked is left: the
// comparison still holds.
func holdLog(shm string) (release func()) {
	f, _, err := files.Open(shm)
	if err != nil {
		return func() {}
	}
	for _, at := range []int64{checkpointAt, lastReaderAt} {
		for range int(lockWait / lockPoll) {
			l := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart, Start: at, Len: 1}
			if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &l); err == nil || !errors.Is(err, syscall.EAGAIN) &&
				!errors.Is(err, syscall.EACCES) {
				break
			}
			time.Sleep(lockPoll)
		}
	}
	return func() { f.Close() }
}

// query opens the two files with SQLite.
func query(two *twoFiles, use func(*view) error) error {
	name, system, err := vfs.New(two)
	if err != nil {
		return fmt.Errorf("setting up a reader: %w", err)
	}
	defer system.Close()
	db, err := sql.Open("sqlite", "file:"+storeName+"?mode=ro&vfs="+name+"&_pragma=locking_mode(exclusive)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// The driver sorts the settings of its address by name; these must come after the locking mode, since they read the
	// file. Sorting happens in memory: this file system has no temporary files.
	for _, set := range []string{"query_only=1", "temp_store=memory", "cache_size=-16384", "trusted_schema=0"} {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+set); err != nil {
			return err
		}
	}
	v := &view{conn: conn, statements: map[string]*sql.Stmt{}, known: map[string]map[string]bool{}}
	defer v.close()
	if err := v.lookAtTable(); err != nil {
		return err
	}
	return use(v)
}

func (v *view) close() {
	for _, s := range v.statements {
		s.Close()
	}
}
