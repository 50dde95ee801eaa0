import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { runBun } from './bootstrap/run-bun.mjs'

await ensureInstalled()
await runBun([join(projectRoot, 'test', 'hostile', 'hostile.ts'), ...process.argv.slice(2)])
