// Package standing says where one session stands in a recovery and what the user does about it next. It is a pure
// function of what is known now: the account, the queue check, the journal, the review and the wrap. Report, status,
// hand-over, message, resume and read show what it says and decide nothing of it themselves.
package standing
