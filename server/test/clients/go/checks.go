// Go's clients of the service. Which one is run, the argument says: pgx, pq or api.
package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
)

func main() {
	map[string]func(){"pgx": tryPgx, "pq": tryPq, "api": tryAPI}[os.Args[1]]()
}

func postgresURL(more string) string {
	return "postgres://ada:lovelace@127.0.0.1:" + os.Getenv("WAYMARK_PORT") + "/lakehouse?sslmode=disable" + more
}

func check(name string, work func()) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Printf("- %s: %s\n", name, strings.Join(strings.Fields(fmt.Sprint(reason)), " "))
		} else {
			fmt.Printf("+ %s\n", name)
		}
	}()
	work()
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	ok(err)
	return value
}

func equal(found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("%v instead of %v", found, wanted))
	}
}
