const passing =
  /^(TransactionContext Error|Transaction Error|IO Error|Out of Memory Error|INTERRUPT Error|Conflict)/i

/** Whether a failed write is worth another try: it met a conflict, a full disk or too little memory. */
export const mayPass = (error: unknown): boolean =>
  error instanceof Error &&
  (passing.test(error.message) || /conflict|no space|could not write/i.test(error.message))
