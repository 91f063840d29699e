package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// A client of the HTTP API as Go's are written: with a type for each answer, and an error for each refusal.
type api struct{ user, password, key string }

type refusal struct {
	Status  int
	Code    string `json:"error"`
	Reason  string `json:"error_code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%d %s%s: %s", r.Status, r.Code, r.Reason, r.Message)
}

type task struct {
	OK           bool    `json:"ok"`
	TaskID       string  `json:"task_id"`
	Status       string  `json:"status"`
	ErrorCode    *string `json:"error_code"`
	ErrorMessage *string `json:"error_message"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type queryLog struct {
	UUID            string  `json:"uuid"`
	StartTime       string  `json:"start_time"`
	EndTime         *string `json:"end_time"`
	DurationMs      *int64  `json:"duration_ms"`
	Query           string  `json:"query"`
	ClientInterface string  `json:"client_interface"`
	SessionID       string  `json:"session_id"`
	Error           *string `json:"error"`
	Progress        *struct {
		Percentage               float64 `json:"percentage"`
		RowsProcessed, TotalRows int64
	} `json:"progress"`
}

func (a api) send(method, path string, query url.Values, body any) (*http.Response, error) {
	var content io.Reader
	kind := "application/json"
	switch body := body.(type) {
	case nil:
	case []byte:
		content, kind = bytes.NewReader(body), "application/octet-stream"
	default:
		content = bytes.NewReader(must(json.Marshal(body)))
	}
	request := must(http.NewRequest(method, os.Getenv("WAYMARK_URL")+path+"?"+query.Encode(), content))
	request.Header.Set("Content-Type", kind)
	request.Header.Set("User-Agent", "altertable-lakehouse-go/1.0.0")
	if a.key != "" {
		request.Header.Set("X-API-Key", a.key)
	} else {
		request.SetBasicAuth(a.user, a.password)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	defer response.Body.Close()
	refused := &refusal{Status: response.StatusCode}
	ok(json.NewDecoder(response.Body).Decode(refused))
	return nil, refused
}

func call[T any](a api, method, path string, query url.Values, body any) (answer T, err error) {
	response, err := a.send(method, path, query, body)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}

// query reads the answer's lines as they come, and gives each row to `each`.
func (a api) query(body map[string]any, each func(row []any)) (columns []column, err error) {
	response, err := a.send("POST", "/query", nil, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for number := 0; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return columns, nil
		}
		ok(err)
		var failed struct{ Error *string }
		switch {
		case number == 0:
			var metadata struct {
				SessionID string `json:"session_id"`
				QueryID   string `json:"query_id"`
			}
			ok(json.Unmarshal(line, &metadata))
			equal(metadata.QueryID != "" && metadata.SessionID != "", true)
		case json.Unmarshal(line, &failed) == nil && failed.Error != nil:
			return columns, fmt.Errorf("%s", *failed.Error)
		case number == 1:
			ok(json.Unmarshal(line, &columns))
		default:
			var row []any
			ok(json.Unmarshal(line, &row))
			each(row)
		}
	}
}

func (a api) rows(statement string) (rows [][]any) {
	must(a.query(map[string]any{"statement": statement}, func(row []any) { rows = append(rows, row) }))
	return rows
}

func refusalOf(err error) string {
	if refused, is := err.(*refusal); is {
		return fmt.Sprint(refused.Status, " ", refused.Code)
	}
	return fmt.Sprint(err)
}

func tryAPI() {
	lake, events := api{user: "ada", password: "lovelace"}, api{key: "pk_clients"}
	sync := url.Values{"sync": {"true"}}
	table := func(name string, more ...string) url.Values {
		values := url.Values{"catalog": {"lakehouse"}, "schema": {"main"}, "table": {name}}
		for at := 0; at < len(more); at += 2 {
			values.Set(more[at], more[at+1])
		}
		return values
	}
	event := func(name string) map[string]any {
		return map[string]any{"environment": "production", "event": name, "anonymous_id": "go-visitor", "timestamp": time.Now().UnixMilli(), "properties": map[string]any{"n": 1.5}}
	}
	check("track, identify and alias, until they are stored", func() {
		equal(must(call[task](events, "POST", "/track", sync, event("Go one"))).OK, true)
		many := must(call[task](events, "POST", "/track", nil, []any{event("Go two"), event("Go two")}))
		equal(many.OK && many.TaskID != "", true)
		who := map[string]any{"environment": "production", "distinct_id": "go-user", "anonymous_id": "go-visitor", "traits": map[string]any{"plan": "pro"}}
		equal(must(call[task](events, "POST", "/identify", sync, who)).OK, true)
		merged := map[string]any{"environment": "production", "distinct_id": "go-user", "new_user_id": "go-person"}
		equal(must(call[task](events, "POST", "/alias", sync, merged)).OK, true)
		equal(must(call[task](events, "GET", "/tasks/"+many.TaskID, nil, nil)).Status, "completed")
		equal(lake.rows("SELECT count(*), count(DISTINCT person_id) FROM events WHERE event LIKE 'Go %'"), [][]any{{3.0, 1.0}})
	})
	check("what is refused has a code", func() {
		_, err := call[task](events, "POST", "/track", nil, map[string]any{"environment": "production", "event": strings.Repeat("e", 401), "properties": map[string]any{}})
		equal(err.(*refusal).Reason, "event-name-too-long")
		_, err = call[task](api{key: "pk_wrong"}, "POST", "/track", nil, event("Go"))
		equal(err.(*refusal).Status, 401)
		_, err = lake.query(map[string]any{"statement": "SELECT nothing"}, nil)
		equal(refusalOf(err), "400 invalid-statement")
		_, err = api{user: "ada", password: "wrong"}.query(map[string]any{"statement": "SELECT 1"}, nil)
		equal(refusalOf(err), "401 unauthorized")
	})
	check("a query is read as it comes, with typed columns", func() {
		count, last := 0, 0.0
		columns := must(lake.query(map[string]any{"statement": "SELECT range AS n, 'x' || range AS text FROM range(300000)"}, func(row []any) { count, last = count+1, row[0].(float64) }))
		equal([]any{columns, count, last}, []any{[]column{{"n", "BIGINT"}, {"text", "VARCHAR"}}, 300000, 299999.0})
	})
	check("an answer that breaks off ends with its error", func() {
		count := 0
		_, err := lake.query(map[string]any{"statement": "SELECT CASE WHEN i = 900000 THEN error('row 900000 is bad') ELSE i::VARCHAR END AS v FROM range(1000000) r(i)"}, func([]any) { count++ })
		equal(err != nil && strings.Contains(err.Error(), "row 900000 is bad") && count > 0, true)
	})
	check("appends records, and says which do not fit", func() {
		appended := must(call[task](lake, "POST", "/append", table("go_visits", "sync", "true"), []any{map[string]any{"id": 1, "at": "2026-01-02T03:04:05Z", "ok": true, "list": []int{1}}, map[string]any{"id": 2, "share": 0.5}}))
		equal(appended.OK, true)
		equal(must(call[task](lake, "GET", "/tasks/"+appended.TaskID, nil, nil)).Status, "completed")
		equal(lake.rows("SELECT id, \"at\", ok, share FROM go_visits ORDER BY id"), [][]any{{1.0, "2026-01-02 03:04:05", true, nil}, {2.0, nil, nil, 0.5}})
		refused := must(call[task](lake, "POST", "/append", table("go_visits"), map[string]any{"id": "a word"}))
		equal([]any{refused.OK, *refused.ErrorCode}, []any{false, "incompatible-schema"})
	})
	check("uploads and upserts files, and gets a task for each", func() {
		for _, each := range []struct{ mode, file string }{{"create", "id,name\n1,a\n2,b\n"}, {"append", "id,name\n3,c\n"}, {"upsert", "id,name\n3,d\n4,e\n"}} {
			query := table("go_people", "mode", each.mode, "format", "csv")
			if each.mode == "upsert" {
				query.Set("primary_key", "id")
			}
			stored := must(call[task](lake, "POST", "/upload", query, []byte(each.file)))
			equal([]any{stored.OK, stored.Status}, []any{true, "completed"})
			equal(must(call[task](lake, "GET", "/tasks/"+stored.TaskID, nil, nil)).Status, "completed")
		}
		stored := must(call[task](lake, "POST", "/upsert", table("go_people", "primary_key", "id"), []byte(`[{"id": 4, "name": "f"}]`)))
		equal([]any{stored.Status, stored.TaskID != ""}, []any{"completed", true})
		equal(lake.rows("SELECT string_agg(name, '' ORDER BY id) FROM go_people"), [][]any{{"abdf"}})
		_, err := call[task](lake, "POST", "/upload", table("go_people", "mode", "create", "format", "csv"), []byte("id,name\n1,a\n"))
		equal(err.(*refusal).Status, 400)
		must(call[task](lake, "POST", "/upload", table("go_people", "mode", "overwrite", "format", "json"), []byte("{\"n\": 1}\n{\"n\": 2}\n")))
		equal(lake.rows("SELECT sum(n) FROM go_people"), [][]any{{3.0}})
	})
	check("a running query is watched and ended", func() {
		id, session := "6f1c2f5e-0000-4000-8000-00000000600a", "go-session"
		ended := make(chan error, 1)
		go func() {
			_, err := lake.query(map[string]any{"statement": "SELECT sum(a.range * b.range % 7) FROM range(1000000) a, range(1000000) b", "query_id": id, "session_id": session}, func([]any) {})
			ended <- err
		}()
		for {
			log, err := call[queryLog](lake, "GET", "/query/"+id, nil, nil)
			if err == nil {
				equal([]any{log.UUID, log.SessionID, log.ClientInterface, log.EndTime == nil}, []any{id, session, "HttpQuery", true})
				break
			}
			equal(refusalOf(err), "404 query-not-found")
		}
		cancelled := must(call[struct {
			Cancelled bool
			Message   string
		}](lake, "DELETE", "/query/"+id, url.Values{"session_id": {session}}, nil))
		equal([]any{cancelled.Cancelled, cancelled.Message != ""}, []any{true, true})
		equal(<-ended != nil, true)
		log := must(call[queryLog](lake, "GET", "/query/"+id, nil, nil))
		equal([]bool{log.Error != nil, log.EndTime != nil, log.DurationMs != nil}, []bool{true, true, true})
	})
	check("validates, explains and completes statements", func() {
		type validated struct {
			Valid             bool
			Statement         string
			ConnectionsErrors map[string]string `json:"connections_errors"`
			Error             *string
		}
		good := must(call[validated](lake, "POST", "/validate", nil, map[string]any{"statement": "SELECT id FROM orders"}))
		bad := must(call[validated](lake, "POST", "/validate", nil, map[string]any{"statement": "SELECT nothing FROM orders"}))
		equal([]any{good.Valid, good.Error == nil, good.ConnectionsErrors, bad.Valid, bad.Error != nil}, []any{true, true, map[string]string{}, false, true})
		explained := must(call[struct {
			Tables []struct {
				TableName     string `json:"table_name"`
				EstimatedRows int64  `json:"estimated_rows"`
			}
		}](lake, "POST", "/explain", nil, map[string]any{"statement": "SELECT * FROM orders"}))
		equal(len(explained.Tables), 1)
		completed := must(call[struct {
			Suggestions []struct {
				Suggestion      string
				SuggestionStart int   `json:"suggestion_start"`
				SuggestionScore int64 `json:"suggestion_score"`
			}
		}](lake, "POST", "/autocomplete", nil, map[string]any{"statement": "SEL", "max_suggestions": 5}))
		equal(strings.TrimSpace(completed.Suggestions[0].Suggestion), "SELECT")
	})
}
