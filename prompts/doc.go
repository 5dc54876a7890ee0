// Package prompts holds the texts that recovery sends to sessions, as templates in Markdown files, and the check that
// no such text reads as the user's approval. Every text is checked as it will be sent, after the data was filled in,
// and there is no way around the check: what only the user may say has to be typed by the user. The rules are word
// lists and phrases in rules/ and words/, one file a subject; the code folds a text (look-alike letters, invisible
// characters, spaced-out words), cuts it into lines, sentences and clauses, and refuses each one that it cannot tell
// to be harmless.
package prompts
