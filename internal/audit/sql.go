package audit

import "strings"

// sqlToken is one token of a statement: a word in lower case, a quoted name, a string, or one sign.
type sqlToken struct {
	kind byte // 'w' word, 'i' quoted name, 's' string, or the sign itself
	text string
}

// sql judges SQL text, statement by statement. What it cannot follow is unknown. dialect is "sqlite", "psql", "mysql"
// or nothing.
func (r *Rules) sql(text, dialect string) verdict {
	tokens, ok := sqlTokens(text, dialect)
	if !ok {
		return unknown("SQL that is quoted or commented in a way that is not followed")
	}
	v := read("")
	var stmt []sqlToken
	for _, t := range append(tokens, sqlToken{kind: ';'}) {
		if t.kind != ';' {
			stmt = append(stmt, t)
			continue
		}
		v = v.worse(r.sqlStatement(stmt))
		stmt = nil
	}
	if v.reason == "" {
		v.reason = "SQL that only reads"
	}
	return v
}

// sqlTokens splits SQL into tokens; strings and comments cannot hide a semicolon from it.
func sqlTokens(s, dialect string) ([]sqlToken, bool) {
	var out []sqlToken
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case strings.HasPrefix(s[i:], "--"):
			// MySQL wants a blank behind the dashes.
			if dialect != "sqlite" && dialect != "psql" && i+2 < len(s) && s[i+2] > ' ' {
				return nil, false
			}
			i += untilNewline(s[i:])
		case c == '#' && dialect != "sqlite" && dialect != "psql":
			return nil, false
		case strings.HasPrefix(s[i:], "/*"):
			if i+2 < len(s) && (s[i+2] == '!' || s[i+2] == 'M' || s[i+2] == '+') {
				return nil, false // MySQL runs what is in such a comment
			}
			end := strings.Index(s[i+2:], "*/")
			if end < 0 || strings.Contains(s[i+2:i+2+end], "/*") {
				return nil, false
			}
			i += end + 4
		case strings.HasPrefix(s[i:], "'''") && dialect != "sqlite" && dialect != "psql", strings.HasPrefix(s[i:], `"""`):
			return nil, false // BigQuery ends such a string elsewhere
		case c == '\'' || c == '"' || c == '`':
			end := sqlQuote(s[i+1:], c)
			if end < 0 {
				return nil, false
			}
			kind, text := byte('i'), s[i+1:i+1+end]
			if c == '\'' {
				kind = 's'
			}
			// A backslash before the closing quote means different things to different servers.
			if strings.HasSuffix(text, `\`) || strings.Contains(text, `\`+string(c)) {
				return nil, false
			}
			out = append(out, sqlToken{kind, strings.ToLower(text)})
			i += end + 2
		case c == '[' && dialect != "psql":
			// A name in brackets; a quote in it begins no string.
			end := strings.IndexByte(s[i:], ']')
			if end < 0 || dialect != "sqlite" && strings.ContainsAny(s[i:i+end], "'\"`;") {
				return nil, false
			}
			out = append(out, sqlToken{'i', strings.ToLower(s[i+1 : i+end])})
			i += end + 1
		case c == '$':
			tag := s[i:]
			end := strings.IndexByte(tag[1:], '$')
			if end < 0 || end > 0 && !isName(tag[1:1+end]) {
				out = append(out, sqlToken{kind: '$'})
				i++
				continue
			}
			if dialect == "sqlite" || dialect == "mysql" {
				return nil, false
			}
			tag = tag[:end+2]
			end = strings.Index(s[i+len(tag):], tag)
			if end < 0 {
				return nil, false
			}
			out = append(out, sqlToken{'s', ""})
			i += end + 2*len(tag)
		case strings.HasPrefix(s[i:], `\G`) && dialect == "mysql":
			out = append(out, sqlToken{kind: ';'}) // ends a statement, with another layout
			i += 2
		case c == '\\':
			return nil, false // a command of the client
		case c >= 0x80 || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
			j := i
			for j < len(s) && (s[j] >= 0x80 || s[j] == '_' || s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' ||
				s[j] >= '0' && s[j] <= '9') {
				j++
			}
			out = append(out, sqlToken{'w', strings.ToLower(s[i:j])})
			i = j
		default:
			out = append(out, sqlToken{kind: c, text: string(rune(c))})
			i++
		}
	}
	return out, true
}

func untilNewline(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// sqlQuote returns where a quoted text ends; a doubled quote stands for itself.
func sqlQuote(s string, q byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] != q {
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			i++
			continue
		}
		return i
	}
	return -1
}

var sqlWriters = words(strings.Fields(`insert update delete merge replace truncate create alter drop grant revoke vacuum
	analyze reindex cluster refresh load lock kill attach detach rename optimize comment import flush reset purge install uninstall
	security notify repair upsert reassign unlock handler checkpoint export backup restore undrop optimise shutdown restart change
	clone put remove msck discard`)).set()

// sqlStatement judges one statement.
func (r *Rules) sqlStatement(t []sqlToken) verdict {
	for len(t) > 0 && t[0].kind == '(' {
		t = t[1:]
	}
	if len(t) == 0 {
		return read("")
	}
	first := t[0].text
	if t[0].kind != 'w' {
		return unknown("SQL that does not begin with a word")
	}
	switch {
	case first == "select" || first == "values" || first == "table" || first == "with":
		return r.sqlQuery(t)
	case first == "show" || first == "use":
		return r.sqlCalls(t)
	case first == "explain" || first == "describe" || first == "desc":
		return r.sqlCalls(t).worse(r.sqlExplain(t[1:]))
	case first == "pragma":
		return sqlPragma(t[1:])
	case first == "copy":
		return r.sqlCopy(t)
	case first == "begin" || first == "commit" || first == "rollback" || first == "end" || first == "start":
		for _, k := range t[1:] {
			if !sqlTransaction[k.text] {
				return unknown("SQL `" + first + "` of something else than a transaction")
			}
		}
		if first == "start" && (len(t) < 2 || t[1].text != "transaction") {
			return unknown("SQL `start`")
		}
		return read("")
	case first == "set":
		if len(t) > 1 && (t[1].text == "global" || t[1].text == "persist" || t[1].text == "persist_only" ||
			t[1].text == "password") {
			return write("SQL `set " + t[1].text + "`")
		}
		return unknown("SQL `set`")
	case sqlWriters[first]:
		return write("SQL `" + first + "`")
	}
	return unknown("SQL `" + first + "` is not in the tables")
}

// sqlTransaction are the words that may follow begin, commit and their like.
var sqlTransaction = words(strings.Fields(
	`transaction work tran deferred immediate exclusive read only write isolation level
	repeatable committed uncommitted serializable with consistent snapshot and no chain release ,`)).set()

// sqlQuery judges a statement that gives rows.
func (r *Rules) sqlQuery(t []sqlToken) verdict {
	v := r.sqlCalls(t)
	with := t[0].text == "with"
	for i, k := range t {
		if k.kind != 'w' {
			continue
		}
		prev, next := sqlToken{}, sqlToken{}
		if i > 0 {
			prev = t[i-1]
		}
		if i+1 < len(t) {
			next = t[i+1]
		}
		switch k.text {
		case "into":
			return write("SQL that selects into something")
		case "for":
			if next.text == "update" || next.text == "share" || next.text == "no" || next.text == "key" {
				v = v.atLeast(Unknown, "SQL that locks rows")
			}
		case "insert", "update", "delete", "merge", "replace":
			if next.kind == '(' && (k.text == "replace" || k.text == "insert") {
				continue // string functions
			}
			if with || prev.kind == '(' {
				return write("SQL `" + k.text + "` within a query")
			}
			if prev.kind != '.' {
				v = v.atLeast(Unknown, "SQL `"+k.text+"` within a query")
			}
		case "procedure", "lock":
			v = v.atLeast(Unknown, "SQL `"+k.text+"` within a query")
		}
	}
	return v
}

// sqlWords may stand in front of a bracket without being functions.
var sqlWords = words(
	strings.Fields(`in exists any all some values over as and or not on from join where when then else case between like
	ilike using by having union intersect except select filter within distinct is with limit offset interval partition order group
	array row table lateral materialized primary key index references check unique columns glob regexp rlike match key end return
	returning set char varchar decimal numeric int integer text date timestamp time float double real boolean collate explain analyze
	recursive unnest rows range outer inner left right full cross natural only desc describe show`)).set()

// sqlChanges are functions that change something.
var sqlChanges = words(
	strings.Fields(`pg_terminate_backend pg_cancel_backend setval nextval pg_reload_conf lo_import lo_export lo_unlink
	lo_create lo_put pg_file_write pg_write_file writefile dblink_exec pg_rotate_logfile pg_switch_wal pg_create_restore_point
	pg_start_backup pg_stop_backup pg_backup_start pg_backup_stop pg_promote pg_stat_reset pg_drop_replication_slot
	pg_create_physical_replication_slot pg_create_logical_replication_slot pg_logical_emit_message pg_notify pg_advisory_lock
	pg_advisory_unlock pg_advisory_unlock_all get_lock release_lock set_config pg_import_system_collations pg_stat_statements_reset
	kill_query sys_exec sys_eval last_insert_id`)).set()

// sqlCalls judges the functions that a statement calls.
func (r *Rules) sqlCalls(t []sqlToken) verdict {
	v := read("")
	for i := 0; i+1 < len(t); i++ {
		k := t[i]
		if t[i+1].kind != '(' || k.kind != 'w' && k.kind != 'i' {
			continue
		}
		schema := ""
		if i >= 2 && t[i-1].kind == '.' {
			schema = t[i-2].text
		}
		switch {
		case sqlChanges[k.text]:
			return write("SQL function `" + k.text + "`")
		case k.kind == 'w' && sqlWords[k.text] && schema == "":
		case i >= 1 && (t[i-1].text == "with" || t[i-1].kind == ',' && t[0].text == "with" && sqlNamesColumns(t[i+1:])):
			// with x(a, b) as (...): a name with its columns
		case r.sqlSafe[k.text] && (schema == "" || schema == "pg_catalog" || schema == "information_schema"):
		default:
			v = v.atLeast(Unknown, "SQL function `"+k.text+"` is not in the tables")
		}
	}
	return v
}

// sqlNamesColumns holds for `(a, b) as (`.
func sqlNamesColumns(t []sqlToken) bool {
	for i, k := range t {
		if k.kind == ')' {
			return i+2 < len(t) && t[i+1].text == "as" && t[i+2].kind == '('
		}
		if k.kind != '(' && k.kind != ',' && k.kind != 'w' && k.kind != 'i' || k.kind == '(' && i > 0 {
			return false
		}
	}
	return false
}

// sqlExplain judges what is explained only when it is run for that.
func (r *Rules) sqlExplain(t []sqlToken) verdict {
	runs := false
	for len(t) > 0 {
		switch {
		case t[0].kind == '(':
			for len(t) > 0 && t[0].kind != ')' {
				runs = runs || t[0].text == "analyze" || t[0].text == "analyse"
				t = t[1:]
			}
			if len(t) > 0 {
				t = t[1:]
			}
		case t[0].text == "analyze" || t[0].text == "analyse":
			runs = true
			t = t[1:]
		case t[0].text == "verbose" || t[0].text == "query" || t[0].text == "plan" || t[0].text == "extended" ||
			t[0].text == "partitions":
			t = t[1:]
		case t[0].text == "format" && len(t) > 2 && t[1].kind == '=':
			t = t[3:]
		default:
			if runs {
				return r.sqlStatement(t)
			}
			return read("")
		}
	}
	return read("")
}

var sqlPragmas = words(
	strings.Fields(`table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list
	foreign_key_check integrity_check quick_check database_list compile_options function_list collation_list module_list pragma_list`)).set()

// sqlPragma judges a PRAGMA of SQLite: with a value it sets.
func sqlPragma(t []sqlToken) verdict {
	if len(t) > 2 && t[1].kind == '.' {
		t = t[2:]
	}
	if len(t) == 0 || t[0].kind != 'w' {
		return unknown("SQL `pragma`")
	}
	switch name := t[0].text; {
	case sqlPragmas[name]:
		for _, k := range t {
			if k.kind == '=' {
				return write("SQL `pragma " + name + "` with a value")
			}
		}
		return read("")
	case len(t) > 1:
		return write("SQL `pragma " + name + "` with a value")
	case name == "user_version" || name == "schema_version" || name == "journal_mode" || name == "page_count" ||
		name == "page_size" ||
		name == "encoding" || name == "freelist_count" || name == "foreign_keys" || name == "synchronous" ||
		name == "application_id" ||
		name == "cache_size" || name == "auto_vacuum" || name == "data_version":
		return read("")
	case name == "wal_checkpoint" || name == "optimize" || name == "incremental_vacuum" || name == "shrink_memory":
		return write("SQL `pragma " + name + "`")
	}
	return unknown("SQL `pragma " + t[0].text + "`")
}

// sqlCopy judges COPY of PostgreSQL: only to standard output it reads.
func (r *Rules) sqlCopy(t []sqlToken) verdict {
	depth := 0
	for i, k := range t {
		switch {
		case k.kind == '(':
			depth++
		case k.kind == ')':
			depth--
		case depth == 0 && k.text == "from" && k.kind == 'w':
			return write("SQL `copy from`")
		case depth == 0 && k.text == "to" && k.kind == 'w':
			if i+1 < len(t) && t[i+1].text == "stdout" {
				if len(t) > 1 && t[1].kind == '(' {
					return r.sqlStatement(t[2:i])
				}
				return read("")
			}
			return write("SQL `copy to` a file or program")
		}
	}
	return unknown("SQL `copy`")
}
