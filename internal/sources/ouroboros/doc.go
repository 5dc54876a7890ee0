// Package ouroboros finds the unfinished work of Ouroboros: sessions that run or are paused in its store of events,
// questions that nobody answered, and its automatic pipelines. It starts, writes, creates and locks nothing; the
// store is opened in a way that cannot write (store.go). It lists what `ouroboros resume` lists and says beside each
// row whether its owner lives, since the command that seems to continue a session ends it when its owner is gone.
package ouroboros
