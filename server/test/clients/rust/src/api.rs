//! A client of the HTTP API as Rust's are written: a type for each answer, in which a missing field is an error.
use crate::{Outcome, check, equal};
use futures_util::StreamExt;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{collections::HashMap, env, error::Error, fmt};
use uuid::Uuid;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum TaskStatus {
    Pending,
    Completed,
}

/// What `/upload`, `/upsert` and `/tasks/{id}` answer.
#[derive(Debug, Deserialize)]
struct Task {
    task_id: Uuid,
    status: TaskStatus,
}

/// What `/track`, `/identify`, `/alias` and `/append` answer.
#[derive(Debug, Deserialize)]
struct Accepted {
    ok: bool,
    task_id: Option<Uuid>,
    error_code: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Validated {
    valid: bool,
    statement: String,
    connections_errors: HashMap<String, String>,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    session_id: String,
    query_id: Uuid,
    rows_limit: Option<u64>,
    init_time_ms: u64,
}

#[derive(Debug, Deserialize, PartialEq)]
struct QueryColumn {
    name: String,
    #[serde(rename = "type")]
    data_type: String,
}

#[derive(Debug, Deserialize, PartialEq)]
enum ClientInterface {
    HttpQuery,
    Postgres,
}

#[derive(Debug, Deserialize)]
struct QueryLog {
    uuid: Uuid,
    start_time: String,
    end_time: Option<String>,
    duration_ms: Option<u64>,
    client_interface: ClientInterface,
    visible: bool,
    session_id: String,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Cancelled {
    cancelled: bool,
    message: String,
}

#[derive(Debug)]
struct Refusal {
    status: u16,
    body: Value,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.status, self.body)
    }
}
impl Error for Refusal {}

impl Refusal {
    fn of(error: Box<dyn Error>) -> Result<(u16, String), Box<dyn Error>> {
        let refusal = error.downcast::<Refusal>()?;
        let code = refusal.body["error_code"].as_str().or(refusal.body["error"].as_str());
        Ok((refusal.status, code.unwrap_or_default().to_string()))
    }
}

struct Api {
    http: Client,
    key: Option<&'static str>,
    password: &'static str,
}

type Answer<T> = Result<T, Box<dyn Error>>;

impl Api {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", env::var("WAYMARK_URL").unwrap()));
        match self.key {
            Some(key) => request.bearer_auth(key),
            None => request.basic_auth("ada", Some(self.password)),
        }
    }

    async fn send(&self, request: RequestBuilder) -> Answer<Response> {
        let response = request.send().await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(Refusal { status: response.status().as_u16(), body: response.json().await? }.into())
    }

    async fn call<T: DeserializeOwned>(&self, request: RequestBuilder) -> Answer<T> {
        Ok(serde_json::from_slice(&self.send(request).await?.bytes().await?)?)
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: Value) -> Answer<T> {
        self.call(self.request(Method::POST, path).json(&body)).await
    }

    async fn file(&self, path: &str, table: &str, more: &[(&str, &str)], content: &'static str) -> Answer<Task> {
        let request = self.request(Method::POST, path).query(&[("catalog", "lakehouse"), ("schema", "main"), ("table", table)]).query(more);
        self.call(request.header("content-type", "application/octet-stream").body(content)).await
    }

    async fn task(&self, id: Uuid) -> Answer<TaskStatus> {
        Ok(self.call::<Task>(self.request(Method::GET, &format!("/tasks/{id}"))).await?.status)
    }

    async fn log(&self, id: Uuid) -> Answer<QueryLog> {
        self.call(self.request(Method::GET, &format!("/query/{id}"))).await
    }

    /// Reads the lines of an answer as they come.
    async fn query(&self, body: Value, mut each: impl FnMut(Vec<Value>)) -> Answer<Vec<QueryColumn>> {
        let mut parts = self.send(self.request(Method::POST, "/query").json(&body)).await?.bytes_stream();
        let (mut rest, mut metadata, mut columns) = (Vec::new(), None::<Metadata>, None);
        while let Some(part) = parts.next().await {
            rest.extend_from_slice(&part?);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                if line.starts_with(b"{\"error\"") {
                    return Err(serde_json::from_slice::<Value>(&line)?["error"].to_string().into());
                } else if metadata.is_none() {
                    metadata = Some(serde_json::from_slice(&line)?);
                } else if columns.is_none() {
                    columns = Some(serde_json::from_slice(&line)?);
                } else {
                    each(serde_json::from_slice(&line)?);
                }
            }
        }
        let metadata = metadata.ok_or("no metadata")?;
        equal((metadata.session_id.is_empty(), metadata.query_id.is_nil(), metadata.rows_limit), (false, false, None))?;
        equal(metadata.init_time_ms < 600_000, true)?;
        columns.ok_or_else(|| "no columns".into())
    }

    async fn rows(&self, statement: &str) -> Answer<Value> {
        let mut rows = Vec::new();
        self.query(json!({ "statement": statement }), |row| rows.push(row)).await?;
        Ok(json!(rows))
    }
}

fn client(key: Option<&'static str>, password: &'static str) -> Answer<Api> {
    let http = Client::builder().user_agent("altertable-lakehouse/1.0.0").build()?;
    Ok(Api { http, key, password })
}
fn lake() -> Answer<Api> {
    client(None, "lovelace")
}

pub async fn run() {
    check("track, identify and alias, until they are stored", tracks()).await;
    check("what is refused has a code", refuses()).await;
    check("a query is read as it comes, with typed columns", queries()).await;
    check("an answer that breaks off ends with its error", breaks_off()).await;
    check("appends records, and says which do not fit", appends()).await;
    check("uploads and upserts files, and gets a task for each", uploads()).await;
    check("a running query is watched and ended", cancels()).await;
    check("validates, explains and completes statements", validates()).await;
}

fn event(name: &str) -> Value {
    json!({"environment": "production", "event": name, "anonymous_id": "rust-visitor", "properties": {"n": 1.5}})
}

async fn tracks() -> Outcome {
    let (lake, events) = (lake()?, client(Some("pk_clients"), "")?);
    equal(events.post::<Accepted>("/track?sync=true", event("Rust one")).await?.ok, true)?;
    let many: Accepted = events.post("/track", json!([event("Rust two"), event("Rust two")])).await?;
    let who = json!({"environment": "production", "distinct_id": "rust-user", "anonymous_id": "rust-visitor", "traits": {"plan": "pro"}});
    equal(events.post::<Accepted>("/identify?sync=true", who).await?.ok, true)?;
    let merged = json!({"environment": "production", "distinct_id": "rust-user", "new_user_id": "rust-person"});
    equal(events.post::<Accepted>("/alias?sync=true", merged).await?.ok, true)?;
    equal(events.task(many.task_id.ok_or("no task")?).await?, TaskStatus::Completed)?;
    equal(lake.rows("SELECT count(*), count(DISTINCT person_id) FROM events WHERE event LIKE 'Rust %'").await?, json!([[3, 1]]))
}

async fn refuses() -> Outcome {
    let long = json!({"environment": "production", "event": "e".repeat(401), "properties": {}});
    let refused = client(Some("pk_clients"), "")?.post::<Accepted>("/track", long).await.unwrap_err();
    equal(Refusal::of(refused)?, (400, "event-name-too-long".to_string()))?;
    let refused = client(Some("pk_wrong"), "")?.post::<Accepted>("/track", event("Rust")).await.unwrap_err();
    equal(Refusal::of(refused)?.0, 401)?;
    let refused = lake()?.rows("SELECT nothing").await.unwrap_err();
    equal(Refusal::of(refused)?, (400, "invalid-statement".to_string()))?;
    let refused = client(None, "wrong")?.rows("SELECT 1").await.unwrap_err();
    equal(Refusal::of(refused)?, (401, "unauthorized".to_string()))
}

async fn queries() -> Outcome {
    let (mut count, mut last) = (0, json!(null));
    let statement = json!({"statement": "SELECT range AS n, 'x' || range AS text FROM range(300000)"});
    let columns = lake()?.query(statement, |row| (count, last) = (count + 1, json!(row))).await?;
    let column = |name: &str, data_type: &str| QueryColumn { name: name.into(), data_type: data_type.into() };
    equal(columns, [column("n", "BIGINT"), column("text", "VARCHAR")])?;
    equal((count, last), (300_000, json!([299_999, "x299999"])))
}

async fn breaks_off() -> Outcome {
    let mut count = 0;
    let statement = "SELECT CASE WHEN i = 900000 THEN error('row 900000 is bad') ELSE i::VARCHAR END AS v FROM range(1000000) r(i)";
    let failed = lake()?.query(json!({ "statement": statement }), |_| count += 1).await.unwrap_err();
    equal((failed.to_string().contains("row 900000 is bad"), count > 0), (true, true))
}

async fn appends() -> Outcome {
    let lake = lake()?;
    let path = "/append?catalog=lakehouse&schema=main&table=rust_visits";
    let records = json!([{"id": 1, "at": "2026-01-02T03:04:05Z", "ok": true, "list": [1]}, {"id": 2, "share": 0.5}]);
    let appended: Accepted = lake.post(&format!("{path}&sync=true"), records).await?;
    equal((appended.ok, lake.task(appended.task_id.ok_or("no task")?).await?), (true, TaskStatus::Completed))?;
    let rows = lake.rows("SELECT id, \"at\", ok, share FROM rust_visits ORDER BY id").await?;
    equal(rows, json!([[1, "2026-01-02 03:04:05", true, null], [2, null, null, 0.5]]))?;
    let refused: Accepted = lake.post(path, json!({"id": "a word"})).await?;
    equal((refused.ok, refused.error_code.as_deref()), (false, Some("incompatible-schema")))
}

async fn uploads() -> Outcome {
    let lake = lake()?;
    for (mode, content) in [("create", "id,name\n1,a\n2,b\n"), ("append", "id,name\n3,c\n"), ("upsert", "id,name\n3,d\n4,e\n")] {
        let key: &[_] = if mode == "upsert" { &[("primary_key", "id")] } else { &[] };
        let how = [&[("mode", mode), ("format", "csv")], key].concat();
        let stored = lake.file("/upload", "rust_people", &how, content).await?;
        equal((stored.status, lake.task(stored.task_id).await?), (TaskStatus::Completed, TaskStatus::Completed))?;
    }
    let stored = lake.file("/upsert", "rust_people", &[("primary_key", "id")], "[{\"id\": 4, \"name\": \"f\"}]").await?;
    equal((stored.status, lake.task(stored.task_id).await?), (TaskStatus::Completed, TaskStatus::Completed))?;
    equal(lake.rows("SELECT string_agg(name, '' ORDER BY id) FROM rust_people").await?, json!([["abdf"]]))?;
    let again = lake.file("/upload", "rust_people", &[("mode", "create"), ("format", "csv")], "id,name\n1,a\n").await.unwrap_err();
    equal(Refusal::of(again)?.0, 400)?;
    lake.file("/upload", "rust_people", &[("mode", "overwrite"), ("format", "json")], "{\"n\": 1}\n{\"n\": 2}\n").await?;
    equal(lake.rows("SELECT sum(n) FROM rust_people").await?, json!([[3]]))
}

async fn cancels() -> Outcome {
    let lake = lake()?;
    let id = Uuid::from_u128(0x6f1c2f5e_0000_4000_8000_000000007057);
    let statement = "SELECT sum(a.range * b.range % 7) FROM range(1000000) a, range(1000000) b";
    let asked = lake.query(json!({"statement": statement, "query_id": id, "session_id": "rust-session"}), |_| {});
    let watch = async {
        let log = loop {
            match lake.log(id).await {
                Ok(log) => break log,
                Err(error) => equal(Refusal::of(error)?, (404, "query-not-found".to_string()))?,
            }
        };
        equal((log.uuid, log.session_id.as_str(), log.client_interface), (id, "rust-session", ClientInterface::HttpQuery))?;
        equal((log.end_time, log.visible, log.start_time.ends_with('Z')), (None, true, true))?;
        let request = lake.request(Method::DELETE, &format!("/query/{id}")).query(&[("session_id", "rust-session")]);
        let cancelled: Cancelled = lake.call(request).await?;
        equal((cancelled.cancelled, cancelled.message.is_empty()), (true, false))
    };
    let (ended, watched) = tokio::join!(asked, watch);
    watched?;
    equal(ended.is_err(), true)?;
    let log = lake.log(id).await?;
    equal((log.error.is_some(), log.end_time.is_some(), log.duration_ms.is_some()), (true, true, true))
}

async fn validates() -> Outcome {
    let lake = lake()?;
    let good: Validated = lake.post("/validate", json!({"statement": "SELECT id FROM orders"})).await?;
    equal((good.valid, good.statement.as_str(), good.error, good.connections_errors.len()), (true, "SELECT id FROM orders", None, 0))?;
    let bad: Validated = lake.post("/validate", json!({"statement": "SELECT nothing FROM orders"})).await?;
    equal((bad.valid, bad.error.is_some()), (false, true))?;
    let explained: Value = lake.post("/explain", json!({"statement": "SELECT * FROM orders"})).await?;
    equal((explained["tables"][0]["estimated_rows"].is_u64(), explained["error"].is_null()), (true, true))?;
    let completed: Value = lake.post("/autocomplete", json!({"statement": "SEL", "max_suggestions": 5})).await?;
    equal(completed["suggestions"][0]["suggestion"].as_str().map(str::trim), Some("SELECT"))
}
