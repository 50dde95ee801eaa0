import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { ensureServerBuilt } from './bootstrap/ensure-server-built.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { runBun } from './bootstrap/run-bun.mjs'

await ensureInstalled()
await ensureServerBuilt()
await runBun([join(projectRoot, 'bench', 'misbehave', 'run.ts'), ...process.argv.slice(2)])
