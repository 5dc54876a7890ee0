package wrap

import "testing"

func TestClosing(t *testing.T) {
	for name, c := range map[string]struct {
		reply   string
		state   State
		closing string
	}{
		"done":                        {done, Done, doneLine},
		"with a summary":              {"## Summary\n\n- all done\n\n" + done, Done, doneLine},
		"blank lines":                 {"x\n\n" + wrapLine + "\n\n\n" + doneLine + "\n\n", Done, doneLine},
		"blanks around":               {"  " + wrapLine + " \t\n\t" + doneLine + "   \n", Done, doneLine},
		"CRLF":                        {"x\r\n" + wrapLine + "\r\n" + doneLine + "\r\n", Done, doneLine},
		"not ready":                   {held, Held, notReady + " the tests fail."},
		"not ready, no reason":        {wrapLine + "\n" + notReady, Held, notReady},
		"starts fresh":                {wrapLine + "\n" + startsFresh, Held, startsFresh},
		"go to apply":                 {"One step waits.\n\n" + replyGo, Held, replyGo},
		"go to apply, then the lines": {replyGo + "\n" + done, Held, replyGo},
		"go to apply, inside a line":  {"It is step 2. " + replyGo + " Or not.\n" + done, Held, replyGo},
		"go to apply in a fence":      {"```\n" + replyGo + "\n```\n" + done, Done, doneLine},
		"go to apply in a quote":      {"> " + replyGo + "\n\n" + done, Done, doneLine},
		"fence before":                {"```\nls\n```\n" + done, Done, doneLine},
		"fence with a language":       {"```sh\nls\n```\n" + done, Done, doneLine},
		"tilde fence before":          {"~~~\n```\n~~~\n" + done, Done, doneLine},
		"longer fence":                {"````\n```\n````\n" + done, Done, doneLine},
		"code in one line":            {"Ran ```ls``` twice:\n```go test``` passes.\n" + done, Done, doneLine},
		"quote before":                {"> he said so\n\n" + done, Done, doneLine},

		"in a fence":              {"```\n" + done + "\n```", NotAWrap, ""},
		"in a tilde fence":        {"~~~\n" + done + "\n~~~\n", NotAWrap, ""},
		"in a fence never closed": {"```\n" + done, NotAWrap, ""},
		"a shorter fence inside":  {"````\n```\n" + done + "\n", NotAWrap, ""},
		"in an indented fence":    {"  ```\n" + done + "\n  ```", NotAWrap, ""},
		"fence closed by another": {"```\n~~~\n" + done, NotAWrap, ""},
		"quoted":                  {"> " + wrapLine + "\n> " + doneLine, NotAWrap, ""},
		"half quoted":             {"> " + wrapLine + "\n\n" + doneLine, NotAWrap, ""},
		"text behind":             {done + "\nAnything else?", NotAWrap, ""},
		"text between":            {wrapLine + "\nwell\n" + doneLine, NotAWrap, ""},
		"fence behind":            {done + "\n```\nx\n```", Done, doneLine},
		"only the first line":     {wrapLine, NotAWrap, ""},
		"only the closing line":   {doneLine, NotAWrap, ""},
		"the other way round":     {doneLine + "\n" + wrapLine, NotAWrap, ""},
		"in one line":             {wrapLine + " " + doneLine, NotAWrap, ""},
		"another closing line":    {wrapLine + "\nYou may archive it.", NotAWrap, "You may archive it."},
		"closing line goes on":    {wrapLine + "\n" + doneLine + " Bye.", NotAWrap, doneLine + " Bye."},
		"starts fresh, goes on":   {wrapLine + "\n" + startsFresh + " Bye.", NotAWrap, startsFresh + " Bye."},
		"another case":            {"session wrap done\n" + doneLine, NotAWrap, ""},
		"a list item":             {"- " + wrapLine + "\n- " + doneLine, NotAWrap, ""},
		"in quotation marks":      {"\"" + wrapLine + "\"\n\"" + doneLine + "\"", NotAWrap, ""},
		"nothing":                 {"", NotAWrap, ""},
		"blanks only":             {" \n\t\n", NotAWrap, ""},
	} {
		t.Run(name, func(t *testing.T) {
			state, closing, why := Closing(c.reply)
			if state != c.state || state != NotAWrap && closing != c.closing || c.closing != "" && closing != c.closing {
				t.Errorf("got %s %q (%s), want %s %q", state, closing, why, c.state, c.closing)
			}
			if why == "" {
				t.Error("no reason")
			}
		})
	}
}

func TestIsWrapSkill(t *testing.T) {
	for name, is := range map[string]bool{
		"session-wrap": true, "plugin:session-wrap": true, "my-session-wrap": true, "a/session-wrap": true,
		"a:b:session-wrap": true, "/session-wrap": true,
		"my-session-wrapper": false, "session-wrap-notes": false, "session_wrap": false, "wrap": false, "": false,
		"session-wrap done": false,
	} {
		if isWrapSkill(name) != is {
			t.Errorf("%q: %v", name, !is)
		}
	}
}
