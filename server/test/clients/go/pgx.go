package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

var ctx = context.Background()

func codeOf(err error) string {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return fmt.Sprint(err)
	}
	return failure.Code
}

func tryPgx() {
	one := func(work func(c *pgx.Conn)) func() {
		return func() {
			c := must(pgx.Connect(ctx, postgresURL("")))
			defer c.Close(ctx)
			work(c)
		}
	}
	check("lists schemas and tables", one(func(c *pgx.Conn) {
		rows := must(c.Query(ctx, "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1 AND table_type = 'BASE TABLE' ORDER BY 1", "main"))
		names := must(pgx.CollectRows(rows, pgx.RowTo[string]))
		equal(slices.Contains(names, "orders") && slices.Contains(names, "sample"), true)
		rows = must(c.Query(ctx, "SELECT nspname FROM pg_namespace WHERE nspname = ANY($1) ORDER BY 1", []string{"analytics", "pg_catalog"}))
		equal(must(pgx.CollectRows(rows, pgx.RowTo[string])), []string{"analytics", "pg_catalog"})
	}))
	check("describes a statement before it runs", one(func(c *pgx.Conn) {
		described := must(c.Prepare(ctx, "typed", "SELECT * FROM sample WHERE amount > $1 AND moment < $2 AND ids && $3"))
		types := []uint32{}
		for _, field := range described.Fields {
			types = append(types, field.DataTypeOID)
		}
		equal(types, []uint32{pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.Float8OID, pgtype.TextOID, pgtype.BoolOID, pgtype.DateOID, pgtype.TimestamptzOID, pgtype.Int4ArrayOID, pgtype.JSONOID})
		equal(described.ParamOIDs, []uint32{pgtype.NumericOID, pgtype.TimestamptzOID, pgtype.Int4ArrayOID})
	}))
	check("parameters of each type come back as they were", one(func(c *pgx.Conn) {
		moment := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
		day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
		var amount pgtype.Numeric
		ok(amount.Scan("12345678901234.567"))
		for _, each := range []struct {
			typeName string
			value    any
		}{
			{"smallint", int16(-7)}, {"integer", int32(1 << 30)}, {"bigint", int64(9007199254740993)}, {"numeric", amount},
			{"real", float32(1.5)}, {"double precision", 0.1}, {"text", "a 'b' \\ ü 𝄞"}, {"varchar", ""}, {"boolean", true},
			{"date", day}, {"timestamp", moment}, {"timestamptz", moment}, {"time", pgtype.Time{Microseconds: 1, Valid: true}},
			{"interval", pgtype.Interval{Months: 14, Days: 3, Microseconds: 4, Valid: true}}, {"uuid", [16]byte{1, 2, 255}},
			{"bytea", []byte{0, 1, 255}}, {"integer[]", []any{int32(1), nil, int32(3)}}, {"text[]", []any{"a,b", "", nil}},
			{"boolean[]", []any{true, false}}, {"double precision[]", []any{0.5}}, {"json", map[string]any{"a": []any{1.0, "b", nil}}},
			{"jsonb", []any{"c"}}, {"integer", nil}, {"text", nil},
		} {
			rows := must(c.Query(ctx, fmt.Sprintf("SELECT $1::%s", each.typeName), each.value))
			must(true, rows.Err())
			equal(rows.Next(), true)
			value := must(rows.Values())[0]
			if at, isTime := value.(time.Time); isTime {
				value = at.UTC()
			}
			equal(fmt.Sprint(each.typeName, value), fmt.Sprint(each.typeName, each.value))
			rows.Close()
			ok(rows.Err())
		}
	}))
	check("parameters without a type, in binary, and their columns have PostgreSQL's bytes", one(func(c *pgx.Conn) {
		var wrong []string
		for _, each := range parameterCases() {
			found, err := askInBinary(c, each)
			switch {
			case each.Error != "" && err == nil:
				wrong = append(wrong, fmt.Sprintf("%s: no error", each.SQL))
			case each.Error == "" && err != nil:
				wrong = append(wrong, fmt.Sprintf("%s: %v", each.SQL, err))
			case each.Error == "" && found != hexOf(each.Hex, each.Types):
				wrong = append(wrong, fmt.Sprintf("%s: %s instead of %s", each.SQL, found, hexOf(each.Hex, each.Types)))
			}
		}
		equal(wrong, []string(nil))
	}))
	check("each way of asking gives one answer", one(func(c *pgx.Conn) {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
			for range 3 {
				var total float64
				var when time.Time
				ok(c.QueryRow(ctx, "SELECT total + $1, $2::timestamptz FROM orders WHERE id = $3 AND note = $4", mode, 1, time.Unix(1767323045, 0), 1, "x").Scan(&total, &when))
				equal([]any{total, when.Unix()}, []any{10.9, int64(1767323045)})
			}
		}
	}))
	check("rows become structs", one(func(c *pgx.Conn) {
		type order struct {
			ID    int32
			Total pgtype.Numeric
			Tags  []string
			Note  *string
		}
		rows := must(c.Query(ctx, "SELECT * FROM orders ORDER BY id"))
		orders := must(pgx.CollectRows(rows, pgx.RowToStructByName[order]))
		equal([]any{len(orders), orders[0].Tags, orders[1].Note == nil, orders[2].Tags}, []any{3, []string{"a", "b c"}, true, []string{}})
		var properties map[string]any
		ok(c.QueryRow(ctx, "SELECT properties FROM events WHERE event = 'Signed Up'").Scan(&properties))
		equal(properties["plan"], "pro")
	}))
	check("a batch answers each of its statements", one(func(c *pgx.Conn) {
		batch := &pgx.Batch{}
		for id := range 3 {
			batch.Queue("SELECT count(*) FROM orders WHERE id = $1", id+1)
		}
		batch.Queue("SELECT $1::text || 'b'", "a")
		results := c.SendBatch(ctx, batch)
		for range 3 {
			var count int
			ok(results.QueryRow().Scan(&count))
			equal(count, 1)
		}
		var text string
		ok(results.QueryRow().Scan(&text))
		equal(text, "ab")
		ok(results.Close())
		broken := &pgx.Batch{}
		broken.Queue("SELECT 1")
		broken.Queue("SELECT 1 / id FROM (SELECT 0 AS id) AS nothing")
		equal(codeOf(c.SendBatch(ctx, broken).Close()), "22012")
		ok(c.Ping(ctx))
	}))
	check("a cursor gives some rows at a time", one(func(c *pgx.Conn) {
		tx := must(c.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}))
		must(tx.Exec(ctx, "DECLARE numbers NO SCROLL CURSOR FOR SELECT n::int FROM generate_series(1, 1000) AS g(n)"))
		seen := 0
		for {
			rows := must(pgx.CollectRows(must(tx.Query(ctx, "FETCH FORWARD 300 FROM numbers")), pgx.RowTo[int32]))
			if len(rows) == 0 {
				break
			}
			equal(rows[0], int32(seen+1))
			seen += len(rows)
		}
		equal(seen, 1000)
		ok(tx.Commit(ctx))
	}))
	check("an error has a code, and the connection goes on", one(func(c *pgx.Conn) {
		for statement, code := range map[string]string{"SELECT * FROM nothing": "42P01", "SELECT nothing FROM orders": "42703", "SELEC 1": "42601", "SELECT 'x'::int": "22P02", "SELECT 1 / 0": "22012", "SELECT nothing(1)": "42883"} {
			_, err := c.Exec(ctx, statement)
			equal([]string{statement, codeOf(err)}, []string{statement, code})
			_, err = c.Exec(ctx, "SELECT 1")
			ok(err)
		}
		_, err := c.Exec(ctx, "SELECT id FROM orders WHERE id = $1", "a word")
		equal(err != nil, true)
		_, err = pgx.Connect(ctx, strings.Replace(postgresURL(""), "lovelace", "wrong", 1))
		equal(codeOf(err), "28P01")
	}))
	check("a context that ends cancels its statement", one(func(c *pgx.Conn) {
		config := must(pgxpool.ParseConfig(postgresURL("&pool_max_conns=1")))
		pool := must(pgxpool.NewWithConfig(ctx, config))
		defer pool.Close()
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := pool.Exec(short, "SELECT sum(a.n * b.n % 7) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)")
		equal(err != nil, true)
		var count int
		ok(pool.QueryRow(ctx, "SELECT count(*) FROM orders").Scan(&count))
		equal(count, 3)
	}))
	check("a pool connects anew when its connections have ended", func() {
		pool := must(pgxpool.New(ctx, postgresURL("&pool_max_conns=2")))
		defer pool.Close()
		held := must(pool.Acquire(ctx))
		pid := held.Conn().PgConn().PID()
		held.Release()
		other := must(pgx.Connect(ctx, postgresURL("")))
		defer other.Close(ctx)
		var ended bool
		ok(other.QueryRow(ctx, "SELECT pg_terminate_backend($1)", int32(pid)).Scan(&ended))
		equal(ended, true)
		_, err := pool.Exec(ctx, "SELECT 1")
		if err != nil {
			equal(codeOf(err), "57P01")
		}
		for range 6 {
			var count int
			ok(pool.QueryRow(ctx, "SELECT count(*) FROM orders").Scan(&count))
			equal(count, 3)
		}
	})
	check("copies rows out", one(func(c *pgx.Conn) {
		var out bytes.Buffer
		must(c.PgConn().CopyTo(ctx, &out, "COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT"))
		equal(out.String(), "1\tx\n2\t\\N\n3\ty\n")
	}))
}

// askInBinary lets pgx describe the statement, and write the values as it has been told.
func askInBinary(c *pgx.Conn, each parameterCase) (string, error) {
	described, err := c.Prepare(ctx, each.SQL, each.SQL)
	if err != nil {
		return "", err
	}
	args := make([]any, len(each.Values))
	for at, value := range each.Values {
		if value == nil {
			continue
		}
		known, isKnown := c.TypeMap().TypeForOID(described.ParamOIDs[at])
		if !isKnown {
			return "", fmt.Errorf("type %d is not known", described.ParamOIDs[at])
		}
		if args[at], err = known.Codec.DecodeValue(c.TypeMap(), known.OID, pgtype.TextFormatCode, []byte(*value)); err != nil {
			// What pgx cannot read, it sends as text.
			args[at] = *value
		}
	}
	rows, err := c.Query(ctx, each.SQL, append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", rows.Err()
	}
	found := make([]*string, len(rows.RawValues()))
	for at, raw := range rows.RawValues() {
		if raw != nil {
			text := hex.EncodeToString(raw)
			found[at] = &text
		}
	}
	for at, field := range rows.FieldDescriptions() {
		if field.DataTypeOID != each.Types[at] {
			return "", fmt.Errorf("type %d instead of %d", field.DataTypeOID, each.Types[at])
		}
	}
	return hexOf(found, each.Types), nil
}

// hexOf joins the bytes of values, of a numeric without the zeros at its end and their count: DuckDB has others.
func hexOf(values []*string, types []uint32) string {
	texts := make([]string, len(values))
	for at, value := range values {
		if texts[at] = "null"; value == nil {
			continue
		}
		texts[at] = *value
		if types[at] == pgtype.NumericOID {
			digits := texts[at][16:]
			for strings.HasSuffix(digits, "0000") {
				digits = digits[:len(digits)-4]
			}
			texts[at] = texts[at][4:12] + " " + digits
		}
	}
	return strings.Join(texts, ", ")
}
