#!/usr/bin/env node
import './bootstrap/require-node.mjs'
import { ensureConsoleBuilt } from './bootstrap/ensure-console-built.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { ensureServerBuilt } from './bootstrap/ensure-server-built.mjs'
import { runBun } from './bootstrap/run-bun.mjs'

await ensureInstalled()
if (process.argv[2] === 'serve') await ensureConsoleBuilt()
await runBun([await ensureServerBuilt(), ...process.argv.slice(2)])
