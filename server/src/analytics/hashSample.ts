/**
 * SQL that hashes texts of 0 to 63 characters, short and long ones as DuckDB keeps them apart. The result changes when
 * DuckDB hashes differently: then all hashes that were kept are wrong, those of ids and those of insert ids.
 */
export const hashSample = `
SELECT md5_number_lower(string_agg(hash(repeat('é', n), left(repeat('waymark', 10), n))::VARCHAR, ' ' ORDER BY n))
FROM range(64) AS text (n)`

/** SQL for eight signs that say how DuckDB hashes. */
export const hashMark = `SELECT printf('%08x', ((${hashSample}) % 4294967296)::UBIGINT)`
