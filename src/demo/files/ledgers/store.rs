use sqlx::PgPool;

pub async fn book(pool: &PgPool, ledger: i64, cents: i64) -> Result<(), sqlx::Error> {
    let mut tx = pool.begin().await?;
    sqlx::query("update ledgers set cents = cents + $2 where id = $1")
        .bind(ledger)
        .bind(cents)
        .execute(&mut *tx)
        .await?;
    sqlx::query("insert into log (ledger) values ($1)").bind(ledger).execute(pool).await?;
    tx.commit().await
}
