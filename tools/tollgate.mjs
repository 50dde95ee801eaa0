#!/usr/bin/env node
import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { ensureConsoleBuilt } from './bootstrap/ensure-console-built.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { runBun } from './bootstrap/run-bun.mjs'

await ensureInstalled()
if (process.argv[2] === 'serve') await ensureConsoleBuilt()
await runBun([join(projectRoot, 'src', 'main.ts'), ...process.argv.slice(2)])
