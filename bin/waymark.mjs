#!/usr/bin/env node
import { run } from '../dist/command.js'

process.exitCode = await run(process.argv.slice(2), process.env)
