package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
)

func pqCodeOf(err error) string {
	var failure *pq.Error
	if !errors.As(err, &failure) {
		return fmt.Sprint(err)
	}
	return string(failure.Code)
}

func tryPq() {
	open := func(more string, work func(db *sql.DB)) func() {
		return func() {
			db := must(sql.Open("postgres", postgresURL(more)))
			defer db.Close()
			ok(db.Ping())
			work(db)
		}
	}
	check("lists tables and their columns", open("", func(db *sql.DB) {
		var tables []string
		ok(db.QueryRow("SELECT array_agg(table_name::text ORDER BY table_name) FROM information_schema.tables WHERE table_schema = $1", "main").Scan(pq.Array(&tables)))
		equal(slices.Contains(tables, "orders") && slices.Contains(tables, "sample"), true)
		rows := must(db.Query("SELECT * FROM orders"))
		defer rows.Close()
		equal(must(rows.Columns()), []string{"id", "total", "tags", "note"})
		types := []string{}
		for _, each := range must(rows.ColumnTypes()) {
			types = append(types, each.DatabaseTypeName())
		}
		equal(types, []string{"INT4", "NUMERIC", "_TEXT", "TEXT"})
	}))
	for _, more := range []string{"", "&binary_parameters=yes"} {
		check("sends parameters of each type "+more, open(more, func(db *sql.DB) {
			moment := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
			var number int64
			var text, amount, details string
			var flag bool
			var when time.Time
			var bytes []byte
			var ids []int64
			var nothing sql.NullString
			ok(db.QueryRow("SELECT $1::bigint, $2::text, $3::numeric, $4::boolean, $5::timestamptz, $6::bytea, $7::integer[], $8::json, $9::text",
				int64(9007199254740993), "a 'b' ü", "1.5", true, moment, []byte{0, 255}, pq.Array([]int64{1, 3}), `{"a": 1}`, nil).
				Scan(&number, &text, &amount, &flag, &when, &bytes, pq.Array(&ids), &details, &nothing))
			equal([]any{number, text, amount, flag, when.UTC(), bytes, ids, details, nothing.Valid},
				[]any{int64(9007199254740993), "a 'b' ü", "1.5", true, moment, []byte{0, 255}, []int64{1, 3}, `{"a": 1}`, false})
			var count int
			ok(db.QueryRow("SELECT count(*) FROM orders WHERE id = ANY($1) AND total > $2 AND note <> $3", pq.Array([]int64{1, 3}), 1.5, "z").Scan(&count))
			equal(count, 2)
		}))
	}
	check("parameters without a type have PostgreSQL's values", open("", func(db *sql.DB) {
		var wrong []string
		for _, each := range parameterCases() {
			if problem := differsInPq(db, each); problem != "" {
				wrong = append(wrong, each.SQL+": "+problem)
			}
		}
		equal(wrong, []string(nil))
	}))
	check("prepared statements run again and again", open("", func(db *sql.DB) {
		statement := must(db.Prepare("SELECT note FROM orders WHERE id = $1"))
		defer statement.Close()
		for range 8 {
			var note string
			ok(statement.QueryRow(1).Scan(&note))
			equal(note, "x")
		}
	}))
	check("a cursor gives some rows at a time", open("", func(db *sql.DB) {
		tx := must(db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}))
		must(tx.Exec("DECLARE numbers CURSOR FOR SELECT n FROM generate_series(1, 1000) AS g(n)"))
		seen := 0
		for before := -1; seen != before; {
			before = seen
			rows := must(tx.Query("FETCH 300 FROM numbers"))
			for rows.Next() {
				seen++
			}
			ok(rows.Err())
		}
		equal(seen, 1000)
		ok(tx.Rollback())
	}))
	check("an error has a code, and the connection goes on", open("", func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		for statement, code := range map[string]string{"SELECT * FROM nothing": "42P01", "SELEC 1": "42601", "SELECT 'x'::int": "22P02"} {
			_, err := db.Exec(statement)
			equal(pqCodeOf(err), code)
			ok(db.Ping())
		}
	}))
	check("a context that ends cancels its statement", open("", func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(short, "SELECT sum(a.n * b.n % 7) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)")
		equal(err != nil, true)
		ok(db.Ping())
	}))
	check("a pool connects anew when its connection has ended", open("", func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		var pid int
		ok(db.QueryRow("SELECT pg_backend_pid()").Scan(&pid))
		open("", func(other *sql.DB) { must(other.Exec("SELECT pg_terminate_backend($1)", pid)) })()
		for range 3 {
			ok(db.QueryRow("SELECT pg_backend_pid()").Scan(&pid))
		}
	}))
}

// differsInPq says how an answer is other than PostgreSQL's, where lib/pq gives the text or a number of Go's.
func differsInPq(db *sql.DB, each parameterCase) string {
	args := make([]any, len(each.Values))
	for at, value := range each.Values {
		if value != nil {
			args[at] = *value
		}
	}
	found := make([]any, max(len(each.Row), 1))
	into := make([]any, len(found))
	for at := range found {
		into[at] = &found[at]
	}
	err := db.QueryRow(each.SQL, args...).Scan(into...)
	if each.Error != "" {
		if err == nil {
			return "no error"
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	for at, value := range found {
		var text string
		switch value := value.(type) {
		case nil:
			text = "null"
		case []byte:
			text = string(value)
		case bool:
			text = fmt.Sprint(value)[:1]
		case time.Time, float64:
			continue
		default:
			text = fmt.Sprint(value)
		}
		wanted := "null"
		if each.Row[at] != nil {
			wanted = *each.Row[at]
		}
		if trim(text) != trim(wanted) && !strings.HasPrefix(wanted, `\x`) {
			return fmt.Sprintf("%s instead of %s", text, wanted)
		}
	}
	return ""
}

// trim leaves out the zeros at the end of a number, of which DuckDB has others.
func trim(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
