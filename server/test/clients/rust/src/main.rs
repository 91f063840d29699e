//! Rust's clients of the service. Which one is run, the argument says: tokio-postgres, sqlx or api.
mod api;
mod sqlx_pool;
mod tokio_client;

use std::{env, error::Error, fmt::Debug, future::Future};

pub type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    match env::args().nth(1).as_deref() {
        Some("tokio-postgres") => tokio_client::run().await,
        Some("sqlx") => sqlx_pool::run().await,
        Some("api") => api::run().await,
        other => panic!("{other:?} is none of the clients"),
    }
}

pub fn postgres_url() -> String {
    format!("postgres://ada:lovelace@127.0.0.1:{}/lakehouse?sslmode=disable", env::var("WAYMARK_PORT").unwrap())
}

pub async fn check(name: &str, work: impl Future<Output = Outcome>) {
    match work.await {
        Ok(()) => println!("+ {name}"),
        Err(reason) => {
            let causes = std::iter::successors(Some(reason.as_ref()), |each| (*each).source()).map(ToString::to_string);
            let text = causes.collect::<Vec<_>>().join(": ");
            println!("- {name}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}

pub fn equal<T: Debug + PartialEq<U>, U: Debug>(found: T, wanted: U) -> Outcome {
    if found == wanted { Ok(()) } else { Err(format!("{found:?} instead of {wanted:?}").into()) }
}
