use crate::{Outcome, check, equal, postgres_url};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use futures_util::{StreamExt, TryStreamExt, pin_mut};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::{env, error::Error, fmt::Debug, fs};
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

async fn connect() -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(&postgres_url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

pub async fn run() {
    check("lists tables", lists()).await;
    check("describes a statement before it runs", describes()).await;
    check("parameters of each type come back as they were", parameters()).await;
    check("parameters without a type have PostgreSQL's bytes", untyped()).await;
    check("rows come as a stream, and by a portal some at a time", streams()).await;
    check("simple statements give texts, several at once", simple()).await;
    check("an error has a code, and the connection goes on", errors()).await;
    check("a statement is cancelled", cancels()).await;
    check("a connection that was ended says so, and the next one works", reconnects()).await;
    check("copies rows out", copies()).await;
}

async fn lists() -> Outcome {
    let client = connect().await?;
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1";
    let names: Vec<String> = client.query(tables, &[&"main"]).await?.iter().map(|row| row.get(0)).collect();
    equal(names.contains(&"orders".into()) && names.contains(&"sample".into()), true)
}

async fn describes() -> Outcome {
    let client = connect().await?;
    let statement = client.prepare("SELECT * FROM sample WHERE amount > $1 AND moment < $2 AND id_s = $3").await;
    equal(statement.err().and_then(|error| error.code().map(|code| code.code().to_string())), Some("42703".to_string()))?;
    let statement = client.prepare("SELECT * FROM sample WHERE amount > $1 AND moment < $2 AND ids && $3").await?;
    equal(statement.params(), [Type::NUMERIC, Type::TIMESTAMPTZ, Type::INT4_ARRAY])?;
    let types: Vec<_> = statement.columns().iter().map(|column| column.type_().clone()).collect();
    let wanted = [Type::INT4, Type::INT8, Type::NUMERIC, Type::FLOAT8, Type::TEXT, Type::BOOL, Type::DATE, Type::TIMESTAMPTZ, Type::INT4_ARRAY, Type::JSON];
    equal(types, wanted.to_vec())?;
    let names: Vec<_> = statement.columns().iter().map(|column| column.name()).collect();
    equal(names[..3].join(" "), "small big amount")
}

async fn round<T>(client: &Client, type_name: &str, value: T) -> Outcome
where
    T: for<'a> FromSql<'a> + ToSql + Sync + PartialEq + Debug,
{
    let row = client.query_one(&format!("SELECT $1::{type_name}"), &[&value]).await?;
    equal(row.try_get::<_, T>(0)?, value)
}

async fn parameters() -> Outcome {
    let client = connect().await?;
    let c = &client;
    let moment: DateTime<Utc> = "2026-01-02T03:04:05.678901Z".parse()?;
    round(c, "smallint", -7_i16).await?;
    round(c, "integer", i32::MIN).await?;
    round(c, "bigint", 9007199254740993_i64).await?;
    round(c, "numeric", "12345678901234.5670".parse::<Decimal>()?).await?;
    round(c, "real", 1.5_f32).await?;
    round(c, "double precision", 0.1_f64).await?;
    round(c, "text", "a 'b' \\ ü 𝄞".to_string()).await?;
    round(c, "varchar", String::new()).await?;
    round(c, "boolean", true).await?;
    round(c, "date", "2026-01-02".parse::<NaiveDate>()?).await?;
    round(c, "time", "03:04:05.000001".parse::<NaiveTime>()?).await?;
    round(c, "timestamp", "1969-12-31T23:59:59.999999".parse::<NaiveDateTime>()?).await?;
    round(c, "timestamptz", moment).await?;
    round(c, "uuid", Uuid::from_u128(7)).await?;
    round(c, "bytea", vec![0_u8, 1, 255]).await?;
    round(c, "integer[]", vec![Some(1_i32), None]).await?;
    round(c, "text[]", vec!["a,b".to_string(), String::new()]).await?;
    round(c, "json", json!({"a": [1, "b", null]})).await?;
    round(c, "jsonb", json!(["c"])).await?;
    round(c, "integer", None::<i32>).await?;
    let found = "SELECT count(*) FROM orders WHERE id = ANY($1) AND total > $2 AND note = ANY($3)";
    let row = client.query_one(found, &[&vec![1, 3], &Decimal::ONE, &vec!["x", "y"]]).await?;
    equal(row.get::<_, i64>(0), 2)?;
    let row = client.query_one("SELECT properties FROM events WHERE event = 'Signed Up'", &[]).await?;
    equal(row.get::<_, Value>(0)["plan"].clone(), json!("pro"))
}

/// A parameter of any type, sent as text.
#[derive(Debug)]
struct Text(Option<String>);

impl ToSql for Text {
    fn to_sql(&self, _: &Type, out: &mut tokio_postgres::types::private::BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = &self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }
    fn accepts(_: &Type) -> bool {
        true
    }
    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }
    to_sql_checked!();
}

/// A value's bytes, whatever its type, in hex.
struct Hex(Option<String>);

impl<'a> FromSql<'a> for Hex {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Hex(Some(raw.iter().map(|byte| format!("{byte:02x}")).collect())))
    }
    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Hex(None))
    }
    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A value's bytes, of a numeric without the zeros at its end and their count: DuckDB has others.
fn trim(hex: Option<String>, oid: u64) -> Option<String> {
    let hex = hex?;
    if oid != 1700 || hex.len() < 16 {
        return Some(hex);
    }
    let mut digits = &hex[16..];
    while let Some(rest) = digits.strip_suffix("0000") {
        digits = rest;
    }
    Some(format!("{} {digits}", &hex[4..12]))
}

/// Statements with parameters, and what PostgreSQL 15 answers: values/parameters.jsonl of the service's tests.
async fn untyped() -> Outcome {
    let client = connect().await?;
    let mut wrong = Vec::new();
    for line in fs::read_to_string(env::var("WAYMARK_PARAMETERS")?)?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let sql = case["sql"].as_str().unwrap_or_default();
        let texts: Vec<_> = case["values"].as_array().unwrap().iter().map(|value| Text(value.as_str().map(String::from))).collect();
        let values: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| text as _).collect();
        let found = match client.query(sql, &values).await {
            Ok(rows) => {
                let row = rows.first().ok_or(sql)?;
                let types: Vec<_> = row.columns().iter().map(|column| u64::from(column.type_().oid())).collect();
                let hex: Vec<_> = types.iter().enumerate().map(|(at, oid)| trim(row.get::<_, Hex>(at).0, *oid)).collect();
                json!({"hex": hex, "types": types})
            }
            Err(error) => json!({"error": error.code().map(|code| code.code())}),
        };
        let trimmed = |(at, value): (usize, &Value)| trim(value.as_str().map(String::from), case["types"][at].as_u64().unwrap_or(0));
        let hex: Option<Vec<_>> = case["hex"].as_array().map(|values| values.iter().enumerate().map(trimmed).collect());
        let wanted = if case["error"].is_null() { json!({"hex": hex, "types": case["types"]}) } else { json!({"error": case["error"]}) };
        let fits = found == wanted;
        if !fits {
            wrong.push(format!("{sql}: {found}"));
        }
    }
    equal(wrong, Vec::<String>::new())
}

async fn streams() -> Outcome {
    let mut client = connect().await?;
    let rows = client.query_raw("SELECT n::int FROM generate_series(1, 100000) AS g(n) WHERE n > $1::int", [0_i32]).await?;
    pin_mut!(rows);
    let mut sum = 0_i64;
    while let Some(row) = rows.try_next().await? {
        sum += i64::from(row.get::<_, i32>(0));
    }
    equal(sum, 5_000_050_000)?;
    let transaction = client.build_transaction().read_only(true).start().await?;
    let portal = transaction.bind("SELECT n FROM generate_series(1, 1000) AS g(n)", &[]).await?;
    let mut counts = Vec::new();
    while counts.last() != Some(&0) {
        counts.push(transaction.query_portal(&portal, 300).await?.len());
    }
    equal(counts, [300, 300, 300, 100, 0])?;
    transaction.batch_execute("DECLARE numbers CURSOR FOR SELECT * FROM generate_series(1, 10)").await?;
    equal(transaction.query("FETCH 3 FROM numbers", &[]).await?.len(), 3)?;
    transaction.commit().await?;
    Ok(())
}

async fn simple() -> Outcome {
    let client = connect().await?;
    let messages = client.simple_query("SELECT id, note FROM orders ORDER BY id; SELECT now()").await?;
    let rows: Vec<_> = messages.iter().filter_map(|each| if let SimpleQueryMessage::Row(row) = each { Some(row) } else { None }).collect();
    equal(rows.len(), 4)?;
    equal((rows[0].get("note"), rows[1].get("note")), (Some("x"), None))
}

async fn errors() -> Outcome {
    let client = connect().await?;
    for (statement, code) in [("SELECT * FROM nothing", "42P01"), ("SELECT nothing FROM orders", "42703"), ("SELEC 1", "42601"), ("SELECT 'x'::int", "22P02"), ("SELECT 1 / 0", "22012")] {
        let error = client.query(statement, &[]).await.err().ok_or(statement)?;
        equal((statement, error.code().map(|code| code.code())), (statement, Some(code)))?;
        client.query_one("SELECT 1", &[]).await?;
    }
    let wrong = postgres_url().replace("lovelace", "wrong");
    let refused = tokio_postgres::connect(&wrong, NoTls).await.err().ok_or("a wrong password is taken")?;
    equal(refused.code().map(|code| code.code()), Some("28P01"))
}

async fn cancels() -> Outcome {
    let client = connect().await?;
    let token = client.cancel_token();
    let endless = "SELECT sum(a.n * b.n % 7) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)";
    let has_ended = std::cell::Cell::new(false);
    let query = async {
        let ended = client.query(endless, &[]).await;
        has_ended.set(true);
        ended
    };
    // A statement that has not begun yet does not hear of it.
    let cancel = async {
        while !has_ended.get() {
            token.cancel_query(NoTls).await?;
        }
        Ok::<(), tokio_postgres::Error>(())
    };
    let (ended, cancelled) = tokio::join!(query, cancel);
    cancelled?;
    equal(ended.err().and_then(|error| error.code().map(|code| code.code().to_string())), Some("57014".to_string()))?;
    // The last of them may come late and end the next statement, as with PostgreSQL.
    equal(client.is_closed(), false)
}

async fn reconnects() -> Outcome {
    let (client, other) = (connect().await?, connect().await?);
    let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
    equal(other.query_one("SELECT pg_terminate_backend($1)", &[&pid]).await?.get::<_, bool>(0), true)?;
    equal(client.query("SELECT 1", &[]).await.is_err(), true)?;
    equal(connect().await?.query_one("SELECT count(*) FROM orders", &[]).await?.get::<_, i64>(0), 3)
}

async fn copies() -> Outcome {
    let client = connect().await?;
    let parts: Vec<_> = client.copy_out("COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT (FORMAT csv)").await?.collect().await;
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    equal(String::from_utf8(parts.concat())?, "1,x\n2,\n3,y\n")
}
