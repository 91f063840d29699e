import { execFileSync } from 'node:child_process'

/** Stacks of threads and the like: the system counts them, though they are hardly ever touched. */
const untouchedBytes = 2 ** 28

/**
 * From now on the system refuses memory to this process beyond a limit, so that DuckDB refuses the
 * statement that asked for it: `SELECT len(range(2000000000))` wants 16 GiB outside of DuckDB's own
 * limit. False where the system has no such limit, or no `prlimit`; then `watchMemory` has to end the process.
 */
export const boundMemory = (maxBytes: number): boolean => {
  if (process.platform !== 'linux') return false
  // By its defaults DuckDB's allocator keeps the addresses of all freed memory, and freed blocks of up to 256 MiB
  // whole: both count against the limit, and after one large statement failed, every later one failed as well.
  process.env['DUCKDB_JE_MALLOC_CONF'] ??= 'retain:false,oversize_threshold:8388608'
  try {
    const limit = Math.floor(maxBytes) + untouchedBytes
    execFileSync('prlimit', [`--pid=${process.pid}`, `--data=${limit}:`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
