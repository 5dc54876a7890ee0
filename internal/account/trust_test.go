package account

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// trusted makes an account whose .claude.json accepts folders.
func trusted(t *testing.T, folders ...string) *Account {
	t.Helper()
	projects := map[string]any{}
	for _, f := range folders {
		projects[f] = map[string]any{"allowedTools": []string{}, "hasTrustDialogAccepted": true}
	}
	data, err := json.Marshal(map[string]any{"numStartups": 4, "projects": projects})
	if err != nil {
		t.Fatal(err)
	}
	a := folder(t, nil)
	put(t, a.ConfigFile, string(data))
	return a
}

// tree makes the folders and repositories that the cases ask about.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain/sub/deep/x":                   "",
		"repo/.git/HEAD":                     "ref: refs/heads/main\n",
		"repo/sub/x":                         "",
		"repo/inner/.git/HEAD":               "",
		"repo/inner/sub/x":                   "",
		"repo/.git/worktrees/tree/commondir": "../..\n",
		"repo/.git/worktrees/abs/commondir":  filepath.Join(root, "repo/.git"),
		"repo/.git/modules/mod/HEAD":         "",
		"repo/mod/.git":                      "gitdir: ../.git/modules/mod\n",
		"repo/mod/sub/x":                     "",
		"trees/tree/.git":                    "gitdir: " + filepath.Join(root, "repo/.git/worktrees/tree") + "\n",
		"trees/tree/sub/x":                   "",
		"trees/relative/.git":                "gitdir: ../../repo/.git/worktrees/tree\n",
		"trees/abs/.git":                     "gitdir:" + filepath.Join(root, "repo/.git/worktrees/abs"),
		"trees/lost/.git":                    "gitdir: /nowhere/.git/worktrees/lost\n",
		"trees/broken/.git":                  "\x00\x00",
		"trees/empty/.git":                   "",
		"bare.git/HEAD":                      "ref: refs/heads/main\n",
		"bare.git/objects/x":                 "",
		"bare.git/worktrees/w/commondir":     "../..\n",
		"trees/ofbare/.git":                  "gitdir: " + filepath.Join(root, "bare.git/worktrees/w"),
		"file":                               "",
	} {
		put(t, filepath.Join(root, name), text)
	}
	for name, to := range map[string]string{"link": "repo/sub", "linked-tree": "trees/tree", "dangling": "gone"} {
		if err := os.Symlink(filepath.Join(root, to), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestTrust(t *testing.T) {
	root := tree(t)
	for _, c := range []struct {
		name, folder string
		keys         string // accepted folders below root
		accepted     bool
		key          string // the folder whose key is to be written
	}{
		{"nothing accepted", "plain", "", false, "plain"},
		{"itself", "plain", "plain", true, "plain"},
		{"a folder below", "plain/sub/deep", "plain", true, "plain/sub/deep"},
		{"the root of all", "plain/sub", "/", true, "plain/sub"},
		{"a folder above is no folder below", "plain", "plain/sub", false, "plain"},
		{"a name that begins alike", "plain/sub", "plain/s pla", false, "plain/sub"},
		{"a slash behind", "plain/sub/", "plain/sub", true, "plain/sub"},
		{"a repository", "repo", "repo", true, "repo"},
		{"a folder of a repository", "repo/sub", "repo", true, "repo"},
		{"its own key in a repository", "repo/sub", "repo/sub", true, "repo"},
		{"a repository does not inherit", "repo", ".", false, "repo"},
		{"nor do its folders", "repo/sub", ".", false, "repo"},
		{"a repository in a repository", "repo/inner/sub", "repo", false, "repo/inner"},
		{"its own key", "repo/inner/sub", "repo/inner", true, "repo/inner"},
		{"a submodule", "repo/mod/sub", "repo", false, "repo/mod"},
		{"a submodule's own key", "repo/mod/sub", "repo/mod", true, "repo/mod"},
		{"a worktree by its main checkout", "trees/tree", "repo", true, "repo"},
		{"a worktree's folder", "trees/tree/sub", "repo", true, "repo"},
		{"a worktree by its own key", "trees/tree", "trees/tree", true, "repo"},
		{"a folder of a worktree by its own key", "trees/tree/sub", "trees/tree/sub", true, "repo"},
		{"a worktree by the folder above", "trees/tree", "trees .", false, "repo"},
		{"a worktree with a relative path", "trees/relative", "repo", true, "repo"},
		{"a worktree with an absolute commondir", "trees/abs", "repo", true, "repo"},
		{"a worktree whose checkout is gone", "trees/lost", "trees/lost", true, "trees/lost"},
		{"a broken .git file", "trees/broken", "trees", false, "trees/broken"},
		{"an empty .git file", "trees/empty", "trees/empty", true, "trees/empty"},
		{"a bare repository", "bare.git", "bare.git", true, "bare.git"},
		{"inside a bare repository", "bare.git/objects", "bare.git", true, "bare.git/objects"},
		{"a worktree of a bare repository", "trees/ofbare", "bare.git", true, "bare.git"},
		{"a link into a repository", "link", "repo", true, "repo"},
		{"the link's own name", "link", "link", false, "repo"},
		{"a link to a worktree", "linked-tree/sub", "repo", true, "repo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var keys []string
			for _, k := range strings.Fields(c.keys) {
				keys = append(keys, filepath.Join(root, k))
				if k == "/" {
					keys = []string{"/"}
				}
			}
			got := trusted(t, keys...).Trust(root + "/" + c.folder)
			if got.Accepted != c.accepted || got.Key != filepath.Join(root, c.key) || got.Problem != "" {
				t.Errorf("%+v, want %v by %s", got, c.accepted, c.key)
			}
		})
	}
}

func TestTrustProblems(t *testing.T) {
	root := tree(t)
	plain := filepath.Join(root, "plain")
	for _, c := range []struct{ name, text, folder, says string }{
		{"no folder", `{}`, root + "/gone", "cannot be resolved"},
		{"a link to nothing", `{}`, root + "/dangling", "cannot be resolved"},
		{"relative", `{}`, "plain", "not an absolute path"},
		{"nothing", `{}`, "", "not an absolute path"},
		{"cut", `{"projects":{"` + plain + `":{"hasTrustDialogAccepted":true}`, plain, "not valid JSON"},
		{"empty", ``, plain, "not valid JSON"},
		{"a list", `[]`, plain, "not a JSON object"},
		{"projects are a list", `{"projects":[]}`, plain, "projects are no object"},
		{"projects are null", `{"projects":null}`, plain, ""},
		{"no projects", `{}`, plain, ""},
		{"accepted as a text", `{"projects":{"` + plain + `":{"hasTrustDialogAccepted":"true"}}}`, plain, ""},
		{"accepted as a number", `{"projects":{"` + plain + `":{"hasTrustDialogAccepted":1}}}`, plain, ""},
		{"a project that is no object", `{"projects":{"` + plain + `":true}}`, plain, ""},
		{"taken back", `{"projects":{"` + plain + `":{"hasTrustDialogAccepted":true,"hasTrustDialogAccepted":false}}}`, plain,
			""},
		{"projects twice", `{"projects":{"` + plain + `":{"hasTrustDialogAccepted":true}},"projects":{}}`, plain, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := folder(t, nil)
			put(t, a.ConfigFile, c.text)
			got := a.Trust(c.folder)
			if got.Accepted || (got.Problem == "") != (c.says == "") || !strings.Contains(got.Problem, c.says) {
				t.Errorf("%+v, want %q", got, c.says)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		if got := folder(t, nil).Trust(plain); got.Accepted || got.Problem != "" || got.Key != plain {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a folder in the file's place", func(t *testing.T) {
		a := folder(t, nil)
		put(t, filepath.Join(a.ConfigFile, "x"), "")
		if got := a.Trust(plain); got.Accepted || !strings.Contains(got.Problem, ".claude.json cannot be read") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a byte order mark", func(t *testing.T) {
		a := folder(t, nil)
		put(t, a.ConfigFile, "\ufeff"+`{"projects":{"`+plain+`":{"hasTrustDialogAccepted":true}}}`)
		if got := a.Trust(plain); !got.Accepted {
			t.Errorf("%+v", got)
		}
	})
	t.Run("an escaped name", func(t *testing.T) {
		odd := filepath.Join(root, `a"b\c.d*?#|@é`)
		put(t, filepath.Join(odd, "x"), "")
		if got := trusted(t, odd).Trust(odd); !got.Accepted {
			t.Errorf("%+v", got)
		}
	})
}

// TestTrustFile: with CLAUDE_CONFIG_DIR the file is inside the account's folder, without it beside.
func TestTrustFile(t *testing.T) {
	f := fixture(t)
	s := add(t, f, fixtures.Session{WorktreeOf: "checkout", Cwd: "tree"})
	no := add(t, f, fixtures.Session{Name: "untrusted", Cwd: "elsewhere", Untrusted: true})
	beside, err := Open("", f.Home)
	if err != nil {
		t.Fatal(err)
	}
	if !open(t, f).Trust(s.Cwd).Accepted || beside.Trust(s.Cwd).Accepted || open(t, f).Trust(no.Cwd).Accepted {
		t.Error("inside")
	}
	if err := f.TrustBeside(); err != nil {
		t.Fatal(err)
	}
	if open(t, f).Trust(s.Cwd).Accepted || !beside.Trust(s.Cwd).Accepted || beside.Trust(no.Cwd).Accepted {
		t.Error("beside")
	}
}
