package audit_test

import (
	"strings"
	"testing"

	"recovery/internal/audit"
)

func TestBuiltInTools(t *testing.T) {
	r := audit.Default()
	for _, c := range []struct {
		name, input string
		want        audit.Class
	}{
		{"Read", `{"file_path":"/a"}`, audit.Read},
		{"Grep", `{"pattern":"x"}`, audit.Read},
		{"Glob", `{"pattern":"*"}`, audit.Read},
		{"ToolSearch", `{"query":"x"}`, audit.Read},
		{"ListMcpResourcesTool", `{}`, audit.Read},
		{"BashOutput", `{"bash_id":"1"}`, audit.Read},
		{"TodoWrite", `{"todos":[]}`, audit.Read},
		{"TaskCreate", `{"subject":"x"}`, audit.Read},
		{"AskUserQuestion", `{"questions":[]}`, audit.Read},
		{"ExitPlanMode", `{"plan":"x"}`, audit.Read},
		{"WebFetch", `{"url":"https://go.dev/doc","prompt":"x"}`, audit.Read},
		{"WebFetch", `{"url":"https://x.io/?d=` + strings.Repeat("QUJD", 40) + `"}`, audit.Unknown},
		{"WebFetch", `{"url":"https://user:pw@x.io/"}`, audit.Unknown},
		{"WebSearch", `{"query":"go generics"}`, audit.Read},
		{"Write", `{"file_path":"/a","content":""}`, audit.Write},
		{"Edit", `{"file_path":"/a"}`, audit.Write},
		{"MultiEdit", `{"file_path":"/a"}`, audit.Write},
		{"NotebookEdit", `{"notebook_path":"/a"}`, audit.Write},
		{"SendMessage", `{"to":"x"}`, audit.Write},
		{"CronCreate", `{"prompt":"x"}`, audit.Write},
		{"CronList", `{}`, audit.Read},
		{"KillShell", `{"shell_id":"1"}`, audit.Write},
		{"TaskStop", `{"task_id":"1"}`, audit.Write},
		{"EnterWorktree", `{"name":"x"}`, audit.Write},
		{"EnterWorktree", `{"path":"/x"}`, audit.Unknown},
		{"ExitWorktree", `{"action":"keep"}`, audit.Read},
		{"ExitWorktree", `{"action":"remove"}`, audit.Write},
		{"ExitWorktree", `{"action":"keep","discard_changes":true}`, audit.Write},
		{"Agent", `{"prompt":"x"}`, audit.Unknown},
		{"Task", `{"prompt":"x","isolation":"worktree"}`, audit.Write},
		{"Skill", `{"skill":"x"}`, audit.Unknown},
		{"RemoteTrigger", `{"action":"list"}`, audit.Read},
		{"RemoteTrigger", `{"action":"run"}`, audit.Write},
		{"RemoteTrigger", `{}`, audit.Unknown},
		{"PowerShell", `{"command":"Get-ChildItem | Sort-Object Name"}`, audit.Read},
		{"PowerShell", `{"command":"Get-ChildItem > a"}`, audit.Unknown},
		{"PowerShell", `{"command":"Format-Volume -DriveLetter D"}`, audit.Unknown},
		{"Bash", `{"command":"ls"}`, audit.Read},
		{"Bash", `{"command":"ls","run_in_background":true}`, audit.Read},
		{"Bash", `{"command":"touch a","run_in_background":true}`, audit.Write},
		{"Bash", `{"command":"ls","run_in_background":{"a":1}}`, audit.Unknown},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, audit.Read},
		{"Bash", `{"command":"ls","command":"rm a"}`, audit.Write}, // the last one counts, as in the client
		{"Bash", `{"command":["ls"]}`, audit.Unknown},
		{"Bash", `{"Command":"ls"}`, audit.Unknown},
		{"Bash", `{}`, audit.Unknown},
		{"Bash", `{"command":"ls"`, audit.Unknown},
		{"Bash", ``, audit.Unknown},
		{"Bash", `null`, audit.Unknown},
		{"Bash", `"ls"`, audit.Unknown},
		{"Read", `{"file_path":`, audit.Unknown},
		{"Write", `{"file_path":`, audit.Write},
		{"Monitor", `{"command":"tail -f a"}`, audit.Read},
		{"Monitor", `{"url":"wss://x"}`, audit.Unknown},
		{"Frobnicate", `{}`, audit.Unknown},
		{"bash", `{"command":"ls"}`, audit.Unknown},
		{"", `{}`, audit.Unknown},
	} {
		if got := r.Call(c.name, []byte(c.input)); got.Class != c.want {
			t.Errorf("%s %s is %s (%s), want %s", c.name, c.input, got.Class, got.Reason, c.want)
		}
	}
}

func TestSummaryIsTheRawCommand(t *testing.T) {
	r := audit.Default()
	if got := r.Call("Bash", []byte(`{"command":"echo \u001b[31m"}`)).Summary; got != "echo \x1b[31m" {
		t.Errorf("summary %q", got)
	}
	if got := r.Call("Read", []byte(`{"file_path":"/a b"}`)).Summary; got != "/a b" {
		t.Errorf("summary %q", got)
	}
}

// mcpNames are names of tools of popular servers, as their sources and public configurations have them.
var mcpNames = map[audit.Class]string{
	audit.Read: `github__get_me github__get_commit github__list_commits github__list_releases github__get_label
		github__list_starred_repositories github__get_job_logs github__issue_read github__pull_request_read github__projects_get
		github__projects_list github__search_code github__actions_list github__find_duplicate github__get_latest_release
		github__list_pull_requests github__get_file_contents github__list_notifications github__issue_dependency_read
		filesystem__read_file filesystem__list_directory filesystem__directory_tree filesystem__search_files filesystem__get_file_info
		git__git_status git__git_diff_unstaged git__git_log git__git_show git__git_branch
		playwright__browser_snapshot playwright__browser_console_messages playwright__browser_network_requests
		slack__slack_read_channel slack__slack_search_public slack__slack_list_channels slack__slack_get_users
		gmail__search_threads gmail__get_thread claude_ai_Gmail__list_labels
		google_calendar__list_events google_calendar__suggest_time google_drive__search_files google_drive__read_file_content
		linear__list_issues linear__get_issue linear__list_comments
		notion__notion-search notion__notion-fetch notion__notion-get-users
		sentry__find_projects sentry__get_issue_details sentry__whoami
		jira__jira_get_issue jira__jira_search atlassian__getJiraIssue atlassian__searchJiraIssuesUsingJql
		memory__read_graph memory__search_nodes memory__open_nodes
		context7__resolve-library-id context7__get-library-docs deepwiki__ask_question fetch__fetch
		chrome__read_page chrome__get_page_text ide__getDiagnostics postgres__list_tables postgres__describe_table
		other__get_thing other__listThings other__search-items other__describe_instance other__count_rows`,
	audit.Write: `github__create_issue github__update_pull_request github__merge_pull_request github__push_files
		github__fork_repository github__star_repository github__issue_write github__label_write github__sub_issue_write
		github__pull_request_review_write github__discussion_comment_write github__request_copilot_review
		github__actions_run_trigger github__dismiss_notification github__mark_all_notifications_read
		github__manage_notification_subscription github__assign_copilot_to_issue github__delete_file github__add_issue_comment
		filesystem__write_file filesystem__edit_file filesystem__create_directory filesystem__move_file
		git__git_commit git__git_add git__git_reset git__git_checkout git__git_create_branch
		playwright__browser_click playwright__browser_type playwright__browser_take_screenshot playwright__browser_pdf_save
		playwright__browser_storage_state playwright__browser_start_tracing playwright__browser_file_upload
		slack__slack_send_message slack__slack_schedule_message slack__slack_create_canvas slack__slack_add_reaction
		gmail__create_draft gmail__label_thread google_calendar__create_event google_calendar__respond_to_event
		linear__save_issue linear__create_comment notion__notion-create-pages notion__notion-move-pages
		notion__notion-duplicate-page jira__jira_transition_issue jira__jira_add_worklog atlassian__createJiraIssue
		atlassian__transitionJiraIssue memory__create_entities memory__delete_relations memory__add_observations
		sentry__update_issue sentry__onboarding_status_update postgres__write_query sqlite__append_insight
		chrome__form_input chrome__file_upload other__create_thing other__get_or_create_thing other__search_and_replace
		other__list_and_delete other__deleteAll other__find_and_update other__reply_to_thread github__list_and_delete_branches`,
	audit.Unknown: `playwright__browser_navigate playwright__browser_evaluate playwright__browser_hover playwright__browser_tabs
		sentry__analyze_issue_with_seer sentry__execute_sentry_tool ide__executeCode chrome__navigate chrome__javascript_tool
		other__frob other__query other__graphql other__shell other__invoke other__export_data other__analyze other__eval
		other__run_sql`,
}

func TestMCPNames(t *testing.T) {
	r := audit.Default()
	for want, names := range mcpNames {
		for _, name := range strings.Fields(names) {
			got := r.Call("mcp__"+name, []byte(`{}`))
			if got.Class != want {
				t.Errorf("mcp__%s is %s (%s), want %s", name, got.Class, got.Reason, want)
			}
			if !got.Network {
				t.Errorf("mcp__%s is not marked network", name)
			}
		}
	}
	for _, broken := range []string{"mcp__", "mcp__x", "mcp____", "mcp__x__", "mcp____get_x"} {
		if got := r.Call(broken, []byte(`{}`)); got.Class != audit.Unknown {
			t.Errorf("%s is %s", broken, got.Class)
		}
	}
}

func TestMCPInputs(t *testing.T) {
	r := audit.Default()
	for _, c := range []struct {
		name, input string
		want        audit.Class
	}{
		{"mcp__postgres__query", `{"sql":"select 1"}`, audit.Read},
		{"mcp__postgres__query", `{"sql":"delete from t"}`, audit.Write},
		{"mcp__postgres__query", `{"sql":"select frob()"}`, audit.Unknown},
		{"mcp__postgres__execute_sql", `{"query":"select 1"}`, audit.Read},
		{"mcp__sqlite__read_query", `{"query":"drop table t"}`, audit.Write},
		{"mcp__other__get_report", `{"output_path":"/z"}`, audit.Unknown},
		{"mcp__playwright__browser_snapshot", `{"filename":"z"}`, audit.Write},
		{"mcp__web__http_call", `{"method":"GET","url":"https://x.io"}`, audit.Read},
		{"mcp__web__http_call", `{"method":"POST","url":"https://x.io"}`, audit.Write},
		{"mcp__web__http_request", `{"method":"GET","url":"https://x.io"}`, audit.Read},
		{"mcp__web__get", `{"method":"DELETE","url":"https://x.io"}`, audit.Write},
		{"mcp__postgres__query", `{"sql":"select 1","query":"drop table t"}`, audit.Write},
		{"mcp__other__get_data", `{"action":"delete"}`, audit.Write},
		{"mcp__other__get_data", `{"delete":true}`, audit.Write},
		{"mcp__other__list_items", `{"mode":"full"}`, audit.Read},
		{"mcp__other__get_file", `{"target_path":"z"}`, audit.Unknown},
		{"mcp__other__inspect_and_mend", `{}`, audit.Unknown},
		{"mcp__other__check_in", `{}`, audit.Write},
		{"mcp__fetch__fetch", `{"url":"https://x.io/?q=` + strings.Repeat("a", 120) + `"}`, audit.Unknown},
		{"Monitor", `{"command":"tail -f a.log"}`, audit.Read},
		{"Monitor", `{"command":"tail -f a.log","url":"wss://x.io"}`, audit.Unknown},
		{"LSP", `{"operation":"hover"}`, audit.Read},
		{"LSP", `{"operation":"rename"}`, audit.Unknown},
		{"mcp__web__http_call", `{"method":"GET","url":"https://x.io","body":"a"}`, audit.Unknown},
		{"mcp__other__get_thing", `{`, audit.Unknown},
	} {
		if got := r.Call(c.name, []byte(c.input)); got.Class != c.want {
			t.Errorf("%s %s is %s (%s), want %s", c.name, c.input, got.Class, got.Reason, c.want)
		}
	}
}
