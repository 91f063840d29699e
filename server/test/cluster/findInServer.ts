import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresNode } from './PostgresNode.js'

/** The files of a server that hold a text; its own write-ahead log keeps what was written for a while. */
export const findInServer = (node: PostgresNode, text: string) =>
  readdirSync(node.folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('pg_wal'))
    .map((name) => join(node.folder, name))
    .filter(
      (path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text),
    )
