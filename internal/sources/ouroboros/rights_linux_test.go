package ouroboros

import "golang.org/x/sys/unix"

// dropFileRights makes the calling thread nobody to the file system, and to nothing else.
func dropFileRights() error {
	_, err := unix.SetfsuidRetUid(65534)
	return err
}
