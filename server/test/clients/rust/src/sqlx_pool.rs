use crate::{Outcome, check, equal, postgres_url};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use futures_util::TryStreamExt;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgPoolOptions, Postgres};
use sqlx::{AssertSqlSafe, Column, Decode, Encode, Executor, FromRow, Row, Statement, Type, TypeInfo};
use std::fmt::Debug;
use uuid::Uuid;

async fn connect(connections: u32) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new().max_connections(connections).connect(&postgres_url()).await
}

pub async fn run() {
    check("lists tables", lists()).await;
    check("describes a statement before it runs", describes()).await;
    check("parameters of each type come back as they were", parameters()).await;
    check("rows become structs", structs()).await;
    check("rows come as a stream, and by a cursor some at a time", streams()).await;
    check("an error has a code, and the connection goes on", errors()).await;
    check("a pool connects anew when its connection has ended", reconnects()).await;
}

async fn lists() -> Outcome {
    let pool = connect(2).await?;
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1";
    let names: Vec<String> = sqlx::query_scalar(tables).bind("main").fetch_all(&pool).await?;
    equal(names.contains(&"orders".into()) && names.contains(&"sample".into()), true)
}

async fn describes() -> Outcome {
    let pool = connect(1).await?;
    let sql = AssertSqlSafe("SELECT *, $1::int + small FROM sample WHERE amount > $2 AND ids && $3".to_string());
    let statement = pool.acquire().await?.prepare(sqlx::SqlSafeStr::into_sql_str(sql)).await?;
    let types: Vec<_> = statement.columns().iter().map(|column| column.type_info().name().to_lowercase()).collect();
    equal(types.join(" "), "int4 int8 numeric float8 text bool date timestamptz int4[] json int4")?;
    equal(statement.columns()[10].name(), "?column?")
}

async fn round<T>(pool: &PgPool, type_name: &str, value: T) -> Outcome
where
    T: for<'a> Encode<'a, Postgres> + for<'a> Decode<'a, Postgres> + Type<Postgres> + Clone + Debug + PartialEq + Send + Unpin + 'static,
{
    let statement = AssertSqlSafe(format!("SELECT $1::{type_name}"));
    let row = sqlx::query(statement).bind(value.clone()).fetch_one(pool).await?;
    equal(row.try_get::<T, _>(0)?, value)
}

async fn parameters() -> Outcome {
    let pool = connect(1).await?;
    let p = &pool;
    round(p, "smallint", -7_i16).await?;
    round(p, "integer", i32::MIN).await?;
    round(p, "bigint", 9007199254740993_i64).await?;
    round(p, "numeric", "12345678901234.567".parse::<Decimal>()?).await?;
    round(p, "real", 1.5_f32).await?;
    round(p, "double precision", 0.1_f64).await?;
    round(p, "text", "a 'b' \\ ü 𝄞".to_string()).await?;
    round(p, "boolean", true).await?;
    round(p, "date", "2026-01-02".parse::<NaiveDate>()?).await?;
    round(p, "time", "03:04:05.000001".parse::<NaiveTime>()?).await?;
    round(p, "timestamp", "1969-12-31T23:59:59.999999".parse::<NaiveDateTime>()?).await?;
    round(p, "timestamptz", "2026-01-02T03:04:05.678901Z".parse::<DateTime<Utc>>()?).await?;
    round(p, "uuid", Uuid::from_u128(7)).await?;
    round(p, "bytea", vec![0_u8, 1, 255]).await?;
    round(p, "integer[]", vec![1_i32, 3]).await?;
    round(p, "text[]", vec!["a,b".to_string(), String::new()]).await?;
    round(p, "json", sqlx::types::Json(json!({"a": [1, "b", null]}))).await?;
    round(p, "jsonb", json!(["c"])).await?;
    round(p, "integer", None::<i32>).await?;
    let found = "SELECT count(*) FROM orders WHERE id = ANY($1) AND total > $2 AND note = ANY($3)";
    let count: i64 = sqlx::query_scalar(found).bind([1, 3]).bind(Decimal::ONE).bind(["x", "y"]).fetch_one(p).await?;
    equal(count, 2)
}

#[derive(FromRow)]
struct Order {
    id: i32,
    total: Decimal,
    tags: Option<Vec<String>>,
    note: Option<String>,
}

async fn structs() -> Outcome {
    let pool = connect(1).await?;
    let orders: Vec<Order> = sqlx::query_as("SELECT * FROM orders ORDER BY id").fetch_all(&pool).await?;
    let first = &orders[0];
    equal((first.id, first.total.to_string(), first.note.as_deref()), (1, "9.90".to_string(), Some("x")))?;
    equal((orders[1].tags.is_none(), orders[2].tags.as_deref().map(<[String]>::len)), (true, Some(0)))?;
    let properties: Value = sqlx::query_scalar("SELECT properties FROM events WHERE event = $1").bind("Signed Up").fetch_one(&pool).await?;
    equal(properties["plan"].clone(), json!("pro"))
}

async fn streams() -> Outcome {
    let pool = connect(1).await?;
    let mut rows = sqlx::query_scalar::<_, i32>("SELECT n::int FROM generate_series(1, 100000) AS g(n) WHERE n > $1::int").bind(0).fetch(&pool);
    let mut sum = 0_i64;
    while let Some(n) = rows.try_next().await? {
        sum += i64::from(n);
    }
    drop(rows);
    equal(sum, 5_000_050_000)?;
    // A stream that is left early leaves the connection usable.
    let first: Option<i32> = sqlx::query_scalar("SELECT n::int FROM generate_series(1, 100000) AS g(n)").fetch(&pool).try_next().await?;
    equal(first, Some(1))?;
    let mut transaction = pool.begin().await?;
    transaction.execute("DECLARE numbers CURSOR FOR SELECT * FROM generate_series(1, 1000)").await?;
    let mut counts = Vec::new();
    while counts.last() != Some(&0) {
        counts.push(transaction.fetch_all("FETCH 300 FROM numbers").await?.len());
    }
    equal(counts, [300, 300, 300, 100, 0])?;
    transaction.commit().await?;
    let several: Vec<i32> = sqlx::raw_sql("SELECT 1; SELECT 2").fetch_all(&pool).await?.iter().map(|row| row.get(0)).collect();
    equal(several, [1, 2])
}

async fn errors() -> Outcome {
    let pool = connect(1).await?;
    for (statement, code) in [("SELECT * FROM nothing", "42P01"), ("SELECT nothing FROM orders", "42703"), ("SELEC 1", "42601"), ("SELECT 'x'::int", "22P02"), ("SELECT 1 / 0", "22012")] {
        let error = sqlx::query(statement).fetch_all(&pool).await.err().ok_or(statement)?;
        let found = error.as_database_error().and_then(|error| error.code()).map(|code| code.to_string());
        equal((statement, found.as_deref()), (statement, Some(code)))?;
        sqlx::query("SELECT 1").execute(&pool).await?;
    }
    let refused = PgPool::connect(&postgres_url().replace("lovelace", "wrong")).await.err().ok_or("a wrong password is taken")?;
    equal(refused.as_database_error().and_then(|error| error.code()).map(|code| code.to_string()), Some("28P01".to_string()))
}

async fn reconnects() -> Outcome {
    let (pool, other) = (connect(1).await?, connect(1).await?);
    let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&pool).await?;
    let ended: bool = sqlx::query_scalar("SELECT pg_terminate_backend($1)").bind(pid).fetch_one(&other).await?;
    equal(ended, true)?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM orders").fetch_one(&pool).await?;
    equal(count, 3)
}
