package main

import (
	"encoding/json"
	"os"
	"strings"
)

// A statement with parameters, and what PostgreSQL 15 answers to it: values/parameters.jsonl of the service's tests.
type parameterCase struct {
	SQL    string
	Values []*string
	Types  []uint32
	Row    []*string
	Hex    []*string
	Error  string
}

func parameterCases() []parameterCase {
	var cases []parameterCase
	text := string(must(os.ReadFile(os.Getenv("WAYMARK_PARAMETERS"))))
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var each parameterCase
		ok(json.Unmarshal([]byte(line), &each))
		if !escapes(each.Values) {
			cases = append(cases, each)
		}
	}
	return cases
}

// pgx reads the text of an array itself, and no escapes outside of quotes.
func escapes(values []*string) bool {
	for _, value := range values {
		if value != nil && strings.HasPrefix(*value, "{") && strings.Contains(*value, "\\") {
			return true
		}
	}
	return false
}
