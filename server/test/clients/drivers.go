// Go's lib/pq and pgx: `go run` with the sources of Debian's packages.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"reflect"

	"github.com/jackc/pgx/v4"
	"github.com/lib/pq"
)

var url = "postgres://ada:lovelace@127.0.0.1:" + os.Getenv("WAYMARK_PORT") + "/lakehouse?sslmode=disable"

func check(name string, work func() error) {
	if err := work(); err != nil {
		fmt.Printf("- %s: %v\n", name, err)
	} else {
		fmt.Printf("+ %s\n", name)
	}
}

func equal(found, wanted any) error {
	if !reflect.DeepEqual(found, wanted) {
		return fmt.Errorf("%v instead of %v", found, wanted)
	}
	return nil
}

func main() {
	check("lib/pq reads rows, with parameters and lists", func() error {
		db, err := sql.Open("postgres", url)
		if err != nil {
			return err
		}
		defer db.Close()
		var note string
		if err := db.QueryRow("SELECT note FROM orders WHERE id = $1", 1).Scan(&note); err != nil {
			return err
		}
		if err := equal(note, "x"); err != nil {
			return err
		}
		var count int
		if err := db.QueryRow("SELECT count(*) FROM orders WHERE id = ANY($1)", pq.Array([]int64{1, 3})).Scan(&count); err != nil {
			return err
		}
		return equal(count, 2)
	})
	ctx := context.Background()
	open := func(work func(c *pgx.Conn) error) func() error {
		return func() error {
			c, err := pgx.Connect(ctx, url)
			if err != nil {
				return err
			}
			defer c.Close(ctx)
			return work(c)
		}
	}
	check("pgx reads rows, with parameters", open(func(c *pgx.Conn) error {
		var note string
		if err := c.QueryRow(ctx, "SELECT note FROM orders WHERE id = $1", 1).Scan(&note); err != nil {
			return err
		}
		return equal(note, "x")
	}))
	check("pgx sends a list to = ANY($1)", open(func(c *pgx.Conn) error {
		var count int
		if err := c.QueryRow(ctx, "SELECT count(*) FROM orders WHERE id = ANY($1)", []int32{1, 3}).Scan(&count); err != nil {
			return err
		}
		if err := equal(count, 2); err != nil {
			return err
		}
		if err := c.QueryRow(ctx, "SELECT count(*) FROM orders WHERE note = ANY($1)", []string{"x"}).Scan(&count); err != nil {
			return err
		}
		return equal(count, 1)
	}))
	check("pgx reads lists and json", open(func(c *pgx.Conn) error {
		var tags []string
		var properties map[string]any
		if err := c.QueryRow(ctx, "SELECT tags FROM orders WHERE id = 1").Scan(&tags); err != nil {
			return err
		}
		if err := c.QueryRow(ctx, "SELECT properties FROM events WHERE event = 'Signed Up'").Scan(&properties); err != nil {
			return err
		}
		return equal([]any{tags[1], properties["plan"]}, []any{"b c", "pro"})
	}))
	check("pgx copies rows out", open(func(c *pgx.Conn) error {
		out, err := os.CreateTemp("", "copied")
		if err != nil {
			return err
		}
		defer os.Remove(out.Name())
		if _, err := c.PgConn().CopyTo(ctx, out, "COPY (SELECT id FROM orders ORDER BY id) TO STDOUT"); err != nil {
			return err
		}
		copied, err := os.ReadFile(out.Name())
		if err != nil {
			return err
		}
		return equal(string(copied), "1\n2\n3\n")
	}))
}
