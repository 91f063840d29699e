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
		cases = append(cases, each)
	}
	return cases
}
