import { execFileSync } from 'node:child_process'

/** The system counts memory that is hardly ever touched, such as the stacks of threads; the limit allows for it. */
const untouchedBytes = 2 ** 28

/**
 * Makes the system refuse memory to this process beyond a limit, so that DuckDB refuses the statement that asked for
 * it: `SELECT len(range(2000000000))` wants 16 GiB outside of DuckDB's own limit. Gives false when the system has no
 * such limit or no `prlimit`; then `watchMemory` must end the process.
 */
export const boundMemory = (maxBytes: number): boolean => {
  if (process.platform !== 'linux') return false
  // By default DuckDB's allocator keeps the addresses of all freed memory, and keeps freed blocks of up to 256 MiB
  // whole. Both count against the limit: after one large statement had failed, every later one failed as well.
  process.env['DUCKDB_JE_MALLOC_CONF'] ??= 'retain:false,oversize_threshold:8388608'
  try {
    const limit = Math.floor(maxBytes) + untouchedBytes
    execFileSync('prlimit', [`--pid=${process.pid}`, `--data=${limit}:`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
